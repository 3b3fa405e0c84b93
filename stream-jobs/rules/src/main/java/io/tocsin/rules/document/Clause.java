package io.tocsin.rules.document;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.rules.match.EventMatch;

/**
 * One way in which events speak of a rule's alert.
 *
 * @param kind raise or clear; for a threshold unspecified, because the figure decides
 * @param match which events
 * @param severity how bad it is, for a raise
 * @param summary one line for a person
 */
public record Clause(
    Signal.Kind kind, EventMatch match, SeverityChoice severity, Template summary) {}
