package io.tocsin.embedded.security;

import java.util.Locale;

/** Who speaks to Kafka. What each may do is the matter of {@link KafkaPermissions}. */
public enum KafkaUser {
  /** The broker itself, which may do everything. */
  BROKER,
  /** {@code tocsin schema} and {@code tocsin topics}. */
  SCHEMA,
  /** Agents, and {@code tocsin send} of events. */
  AGENT,
  /** The Flink jobs. */
  JOBS,
  /** What people type: {@code tocsin-rules}, {@code tocsin devices}. */
  OPERATOR,
  /** {@code tocsin enforce}. */
  ENFORCE;

  /** Its name at Kafka. */
  public String login() {
    return "tocsin_" + name().toLowerCase(Locale.ROOT);
  }
}
