package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Stage;

/** Events by their body: the one list of which event goes to which table. */
public final class EventTables implements TableRouter<Event> {

  private final Stage stage;
  private final RowEncoder<Event> syslog = new SyslogEncoder();
  private final RowEncoder<Event> alertUpdates = new AlertUpdatesEncoder();
  private final RowEncoder<Event> agentStats = new AgentStatsEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  /**
   * Router for a job.
   *
   * @param stage that stands in rejects for events that fit no table
   */
  public EventTables(Stage stage) {
    this.stage = stage;
  }

  @Override
  public RowEncoder<Event> encoderFor(Event event) {
    return switch (event.getBodyCase()) {
      case SYSLOG -> syslog;
      case ALERT_UPDATE -> alertUpdates;
      case AGENT_STATS -> agentStats;
      case REJECT -> rejects;
      case BODY_NOT_SET -> throw new IllegalArgumentException("event without a body");
    };
  }

  @Override
  public Event rejectOf(Event event, String detail) {
    return Rejects.invalid(stage, event, detail);
  }
}
