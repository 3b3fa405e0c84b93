/**
 * The alerts job and the paging job over history: the same rules, single-threaded, in event time,
 * over maps. Nothing is decided here that the jobs decide elsewhere; this keeps state and sets
 * timers as their operators do, and compares what came of two sets of rules.
 */
package io.tocsin.rules.replay;
