package io.tocsin.correlation.findings;

/**
 * What a clock said that is out by more than its bound, beside a better one.
 *
 * @param isAgents whether the clock is an agent's, which the broker's is held against; else it is a
 *     device's or a monitor's, and its agent's is the better one
 * @param name of the agent, device or monitor
 * @param device host of the agent, the device, or the monitor
 * @param site of it, empty where none is configured
 * @param role what it is for, empty where nobody says
 * @param offsetNanos how far the clock is ahead; negative where it is behind
 * @param atUnixNanos when it said so, by the better clock
 */
public record ClockReading(
    boolean isAgents,
    String name,
    String device,
    String site,
    String role,
    long offsetNanos,
    long atUnixNanos) {}
