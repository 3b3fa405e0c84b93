package io.tocsin.connectors.tables;

import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Registration;

/** Every transition to table {@code registration_history}. */
public final class RegistrationHistoryTable implements TableRouter<Registration> {

  private final RowEncoder<Registration> registrationHistory = new RegistrationHistoryEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  @Override
  public RowEncoder<Registration> encoderFor(Registration registration) {
    return registrationHistory;
  }

  @Override
  public Row<Event> rejectOf(Registration registration, String detail) {
    return new Row<>(Rejects.invalid(registration, detail), rejects);
  }
}
