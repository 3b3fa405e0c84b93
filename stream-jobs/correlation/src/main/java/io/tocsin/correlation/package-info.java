/**
 * From events to decisions. Everything here is a pure function of state, input and event time:
 * there is no clock, no Flink, no I/O and no logging, and the build fails where one is tried
 * (forbidden-apis.txt). So rules are tested by calling them and replayed by feeding them history.
 * They answer with a {@link io.tocsin.correlation.Step}.
 */
package io.tocsin.correlation;
