package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * SNMP notifications.
 *
 * @param traps one of them must be the notification: dotted numbers, or MODULE::name
 * @param varbinds variables to read; those that are not optional must be there
 */
public record TrapMatch(Set<String> traps, List<VarbindMatch> varbinds) implements MessageMatch {
  private static final Set<String> OWN_FIELDS = Set.of("trap_oid", "trap_name");

  /**
   * One variable.
   *
   * @param object dotted numbers or MODULE::name, both without the instance
   * @param valueField field that takes the value; empty for none
   * @param instanceField field that takes the instance, the rest of the OID; empty for none
   * @param pattern must be found in the value
   * @param isOptional the notification may lack it
   */
  public record VarbindMatch(
      String object,
      String valueField,
      String instanceField,
      TextPattern pattern,
      boolean isOptional) {

    private boolean matches(SnmpTrap trap, Map<String, String> fields) {
      for (SnmpTrap.Varbind varbind : trap.getVarbindsList()) {
        String instance = instanceOf(varbind.getOid());
        if (instance == null) {
          instance = instanceOf(varbind.getName());
        }
        if (instance != null) {
          if (!pattern.find(varbind.getValue(), fields)) {
            return false;
          }
          // Two variables may offer the same field, ifName and ifDescr: the first that is there.
          if (!valueField.isEmpty()) {
            fields.putIfAbsent(valueField, varbind.getValue());
          }
          if (!instanceField.isEmpty()) {
            fields.putIfAbsent(instanceField, instance);
          }
          return true;
        }
      }
      return isOptional;
    }

    /** What follows the object's name and a dot; null where it is another object. */
    private String instanceOf(String name) {
      if (!name.startsWith(object)) {
        return null;
      }
      if (name.length() == object.length()) {
        return "";
      }
      return name.charAt(object.length()) == '.' ? name.substring(object.length() + 1) : null;
    }
  }

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    for (VarbindMatch varbind : varbinds) {
      fields.addAll(varbind.pattern.fields());
      fields.add(varbind.valueField);
      fields.add(varbind.instanceField);
    }
    fields.remove("");
    return fields;
  }

  @Override
  public boolean matches(Event event, Map<String, String> fields) {
    SnmpTrap trap = event.getSnmpTrap();
    if (!traps.contains(trap.getTrapOid()) && !traps.contains(trap.getTrapName())) {
      return false;
    }
    fields.put("trap_oid", trap.getTrapOid());
    fields.put("trap_name", trap.getTrapName());
    for (VarbindMatch varbind : varbinds) {
      if (!varbind.matches(trap, fields)) {
        return false;
      }
    }
    return true;
  }
}
