package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Syslog messages.
 *
 * @param appNames one of them must be the app_name; empty for all
 * @param msgIds one of them must be the msg_id; empty for all
 * @param pattern must be found in the message
 * @param structuredData parameters that the message must have, "SD-ID.PARAM" to the field that
 *     takes the value
 */
public record SyslogMatch(
    Set<String> appNames,
    Set<String> msgIds,
    TextPattern pattern,
    Map<String, String> structuredData)
    implements MessageMatch {
  private static final Set<String> OWN_FIELDS = Set.of("app_name", "msg_id", "proc_id");

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(pattern.fields());
    fields.addAll(structuredData.values());
    return fields;
  }

  @Override
  public boolean matches(Event event, Map<String, String> fields) {
    Syslog syslog = event.getSyslog();
    if (!msgIds.isEmpty() && !msgIds.contains(syslog.getMsgId())
        || !appNames.isEmpty() && !appNames.contains(syslog.getAppName())) {
      return false;
    }
    for (Map.Entry<String, String> parameter : structuredData.entrySet()) {
      String value = syslog.getStructuredDataMap().get(parameter.getKey());
      if (value == null) {
        return false;
      }
      fields.put(parameter.getValue(), value);
    }
    fields.put("app_name", syslog.getAppName());
    fields.put("msg_id", syslog.getMsgId());
    fields.put("proc_id", syslog.getProcId());
    return pattern.find(syslog.getMessage(), fields);
  }
}
