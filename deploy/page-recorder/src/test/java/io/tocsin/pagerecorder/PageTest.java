package io.tocsin.pagerecorder;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PageTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NOTIFICATION =
      """
      {"receiver":"page-recorder","status":"firing","groupKey":"{}:{source=\\"hyak\\"}","groupLabels":{"source":"hyak"},
       "alerts":[
        {"status":"firing","labels":{"severity":"major","fingerprint":"aa"},"annotations":{"summary":"n1 is slow"},"fingerprint":"1"},
        {"status":"firing","labels":{"severity":"critical","fingerprint":"bb"},"annotations":{"summary":"n2 is down"},"fingerprint":"2"},
        {"status":"resolved","labels":{"severity":"critical"},"annotations":{"summary":"n3 was down"},"fingerprint":"3"}]}""";

  @Test
  void notificationBecomesARow() throws Exception {
    JsonNode row = JSON.readTree(Page.row(NOTIFICATION, Instant.parse("2026-11-20T12:00:00.5Z")));
    JsonNode expected =
        JSON.readTree(
            """
            {"sent_at":"2026-11-20T12:00:00.500Z","receiver":"page-recorder","status":"firing","group_key":"{}:{source=\\"hyak\\"}",
             "group_labels":{"source":"hyak"},"fingerprints":["aa","bb","3"],"firing":2,"resolved":1,
             "summary":"n2 is down (and 2 more)"}""");
    assertThat(row.get("raw").asText()).isEqualTo(NOTIFICATION);
    ((com.fasterxml.jackson.databind.node.ObjectNode) row).remove("raw");
    assertThat(row).isEqualTo(expected);
  }
}
