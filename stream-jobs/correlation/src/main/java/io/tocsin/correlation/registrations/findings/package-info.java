/**
 * What goes wrong with DHCP before anyone notices: rules over the observations of many clients,
 * each keyed by what it judges (a server and scope, a link, an address, a MAC).
 *
 * <p>Each rule is a pure function of its state, an observation and event time, and answers with
 * alert updates: one that raises, and one that clears when the condition has not held for a while.
 * Every number that a rule compares with stands in {@link
 * io.tocsin.correlation.registrations.findings.FindingLimits}.
 */
package io.tocsin.correlation.registrations.findings;
