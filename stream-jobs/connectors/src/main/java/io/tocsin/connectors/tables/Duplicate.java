package io.tocsin.connectors.tables;

import io.tocsin.events.v1.Event;

/**
 * An event that is not stored, because another agent had told the same before.
 *
 * @param keptEventId of the event that is stored in its place
 */
record Duplicate(Event event, String keptEventId) {}
