package io.tocsin.connectors.tables;

import io.tocsin.connectors.kafka.TopicRecord;

/**
 * A record with an event of a group of agents.
 *
 * @param record as the topic keeps it
 * @param keptEventId of the event that is stored in its place; empty where it is stored itself
 */
public record Judged(TopicRecord record, String keptEventId) {}
