/**
 * From events to signals: (rules, hysteresis state, event) to (hysteresis state, signals).
 *
 * <p>Pure, as correlation is, and held to it by the same list of forbidden calls. Patterns are
 * RE2's, whose time is linear in the message, so no message can hang the job.
 */
package io.tocsin.rules.match;
