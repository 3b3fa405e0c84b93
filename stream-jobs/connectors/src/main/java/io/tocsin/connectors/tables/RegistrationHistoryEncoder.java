package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import java.util.List;

/** Transitions of registrations to table {@code registration_history}. */
final class RegistrationHistoryEncoder extends RowEncoder<Told<Registration>> {
  RegistrationHistoryEncoder() {
    super(
        "registration_history",
        List.of(
            "mac",
            "family",
            "version",
            "told_at",
            "ip",
            "state",
            "access",
            "server",
            "relay",
            "circuit_id",
            "remote_id",
            "hostname",
            "vendor_class",
            "fingerprint",
            "lease_expires_at",
            "changed_at",
            "previous_state",
            "previous_ip",
            "cause",
            "event_id",
            "site"));
  }

  @Override
  public boolean isAwaited() {
    return true;
  }

  @Override
  public void encode(Told<Registration> told, NativeWriter row) {
    Registration registration = told.message();
    row.string(registration.getMac())
        .uint8(registration.getFamily())
        .uint64(registration.getVersion())
        .dateTime64Nanos(told.atUnixNanos())
        .string(registration.getIp())
        .enum8("state", registration.getStateValue(), 1, State.STATE_DECLINED_VALUE)
        .enum8("access", registration.getAccessValue(), 1, Access.ACCESS_QUARANTINED_VALUE)
        .string(registration.getServer())
        .string(registration.getRelay())
        .string(registration.getCircuitId())
        .string(registration.getRemoteId())
        .string(registration.getHostname())
        .string(registration.getVendorClass())
        .string(registration.getFingerprint())
        .nullableDateTime64Nanos(
            registration.hasLeaseExpiresAtUnixNanos(), registration.getLeaseExpiresAtUnixNanos())
        .dateTime64Nanos(registration.getChangedAtUnixNanos())
        .enum8(
            "previous_state", registration.getPreviousStateValue(), 0, State.STATE_DECLINED_VALUE)
        .string(registration.getPreviousIp())
        .string(registration.getCause())
        .string(registration.getEventId())
        .string(registration.getSite());
  }
}
