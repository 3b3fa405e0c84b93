package io.tocsin.connectors.clickhouse;

import io.tocsin.connectors.Rejects;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Registration;

/** Every transition to table {@code registration_history}. */
public final class RegistrationHistoryTable implements TableRouter<Registration> {

  private final RowEncoder<Registration> registrationHistory = new RegistrationHistoryEncoder();

  @Override
  public RowEncoder<Registration> encoderFor(Registration registration) {
    return registrationHistory;
  }

  @Override
  public Event rejectOf(Registration registration, String detail) {
    return Rejects.invalid(registration, detail);
  }
}
