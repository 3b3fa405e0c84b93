package io.tocsin.pagerecorder;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/** A notification of Alertmanager as a row of {@code tocsin.pages}. */
final class Page {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** X.733, worst first. */
  private static final List<String> SEVERITIES =
      List.of("critical", "major", "minor", "warning", "indeterminate");

  private Page() {}

  /**
   * The row.
   *
   * @param notification body of the webhook, version 4:
   *     https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
   * @return one JSON object, one key a column
   * @throws JsonProcessingException where the body is not JSON
   */
  static String row(String notification, Instant sentAt) throws JsonProcessingException {
    JsonNode page = JSON.readTree(notification);
    ObjectNode row = JSON.createObjectNode();
    row.put("sent_at", sentAt.toString());
    row.put("receiver", page.path("receiver").asText());
    row.put("status", page.path("status").asText());
    row.put("group_key", page.path("groupKey").asText());
    row.set(
        "group_labels",
        page.path("groupLabels").isObject() ? page.get("groupLabels") : JSON.createObjectNode());
    int firing = 0;
    int resolved = 0;
    ArrayNode fingerprints = row.putArray("fingerprints");
    JsonNode worst = JSON.createObjectNode();
    for (JsonNode alert : page.path("alerts")) {
      if (alert.path("status").asText().equals("firing")) {
        firing++;
      } else {
        resolved++;
      }
      fingerprints.add(fingerprint(alert));
      worst = rank(alert) < rank(worst) ? alert : worst;
    }
    row.put("firing", firing);
    row.put("resolved", resolved);
    int others = firing + resolved - 1;
    String summary = worst.path("annotations").path("summary").asText();
    row.put("summary", summary + (others > 0 ? " (and " + others + " more)" : ""));
    row.put("raw", notification);
    return row.toString();
  }

  /** 0 for the worst severity; what is firing comes before what is over. */
  private static int rank(JsonNode alert) {
    int severity = SEVERITIES.indexOf(alert.path("labels").path("severity").asText());
    return (severity < 0 ? SEVERITIES.size() : severity)
        + (alert.path("status").asText().equals("firing") ? 0 : 10)
        + (alert.isEmpty() ? 10 : 0);
  }

  /**
   * Ours travels as a label or an annotation; Alertmanager's own, a hash of the labels, stands in
   * where neither is there.
   */
  private static String fingerprint(JsonNode alert) {
    for (String place : new String[] {"labels", "annotations"}) {
      String fingerprint = alert.path(place).path("fingerprint").asText();
      if (!fingerprint.isEmpty()) {
        return fingerprint;
      }
    }
    return alert.path("fingerprint").asText();
  }
}
