/**
 * From DHCP messages to the state of every device: who is bound to which address, until when, and
 * where it is plugged in.
 *
 * <p>The state of a client is the fold of its messages in the order of event time. The newest
 * messages are kept as they came, so that one which arrives late is put where it belongs and folded
 * again: whatever the order of arrival within the allowed lateness, the end is the same. Three
 * paths may tell of one message; {@link io.tocsin.correlation.registrations.Repeats} says what is
 * the same.
 *
 * <p>Everything here is a pure function of state, message and event time, as in the package of
 * alerts.
 */
package io.tocsin.correlation.registrations;
