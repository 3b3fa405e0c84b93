package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.model.EventColumns;
import java.util.LinkedHashMap;
import java.util.Map;

/** Events with an SNMP notification to table {@code snmp_traps}. */
final class SnmpTrapsEncoder extends RowEncoder<Event> {
  SnmpTrapsEncoder() {
    super("snmp_traps", Envelope.columnsAnd(EventColumns.SNMP_TRAPS));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    SnmpTrap trap = event.getSnmpTrap();
    Envelope.encode(event, row)
        .enum8("version", trap.getVersionValue(), 1, SnmpTrap.Version.VERSION_V3_VALUE)
        .string(trap.getTrapOid())
        .string(trap.getTrapName())
        .stringMap(varbinds(trap))
        .uint64(trap.getUptimeCentiseconds())
        .string(trap.getUserOrCommunityHash())
        .string(trap.getEngineId())
        .string(trap.getSecurityLevel())
        .bool(trap.getIsInform())
        .string(trap.getAgentAddress());
  }

  /** Name to value; of a name that comes twice the last value stays, raw has both. */
  private static Map<String, String> varbinds(SnmpTrap trap) {
    Map<String, String> varbinds = new LinkedHashMap<>();
    trap.getVarbindsList().forEach(varbind -> varbinds.put(varbind.getName(), varbind.getValue()));
    return varbinds;
  }
}
