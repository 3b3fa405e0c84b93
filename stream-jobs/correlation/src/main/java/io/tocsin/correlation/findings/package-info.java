/**
 * Findings that need more than one message: a gateway group with two active routers or none, a
 * connection table near its limit, an agent that is silent, numbers that are missing.
 *
 * <p>Pure as all rules: state, event and time in; state, alert updates and the next timer out.
 */
package io.tocsin.correlation.findings;
