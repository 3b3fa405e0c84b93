/**
 * From news about alerts to alerts: open, refresh, resolve, whatever the order of arrival.
 *
 * <p>Everything here is a pure function of state, event and event time. There is no clock, no
 * Flink, no I/O and no logging, and the build fails where one is tried (forbidden-apis.txt). So a
 * rule is tested by calling it and replayed by feeding it history.
 */
package io.tocsin.correlation.alerts;
