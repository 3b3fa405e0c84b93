package io.tocsin.embedded.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tocsin.embedded.FetchedProgram;
import io.tocsin.embedded.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each receiver of production.yml gets, from a real Alertmanager: deploy/alertmanager/pages
 * has a folder for each case, with the alerts as the paging job posts them and each page beside
 * them. {@code TOCSIN_WRITE_GOLDEN=1} writes the pages anew.
 */
class PagesTest {
  private static final Path FOLDER = Path.of("..", "alertmanager");
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .configure(SerializationFeature.INDENT_OUTPUT, true)
          .configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  /** Receivers of production.yml, and where each sends. */
  private static final Map<String, String> RECEIVERS =
      Map.of(
          "pagerduty", "/pagerduty",
          "opsgenie-zurich", "/opsgenie/v2/alerts",
          "slack", "/slack",
          "teams", "/teams",
          "mail", "mail",
          "webhook", "/webhook");

  @TempDir private Path folder;
  private PageListener listener;
  private Process alertmanager;
  private String url;

  @BeforeEach
  void start() throws Exception {
    FetchedProgram program = AlertmanagerRoutesTest.find("alertmanager");
    listener = new PageListener();
    int port = FreePorts.reserve().alertmanager();
    url = "http://127.0.0.1:" + port;
    alertmanager =
        program.start(
            folder,
            "--config.file=" + config(),
            "--storage.path=" + folder.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port,
            "--web.external-url=https://alertmanager.example.net",
            "--web.route-prefix=/",
            "--cluster.listen-address=");
  }

  @AfterEach
  void stop() throws Exception {
    if (alertmanager != null) {
      alertmanager.destroyForcibly().waitFor();
    }
    if (listener != null) {
      listener.close();
    }
  }

  /** production.yml, with addresses of this test, and routes that tell everything to everybody. */
  private Path config() throws IOException {
    Path secrets = Files.createDirectories(folder.resolve("secrets"));
    for (String name :
        List.of("pagerduty-routing-key", "opsgenie-zurich-api-key", "smtp-password")) {
      Files.writeString(secrets.resolve(name), "secret");
    }
    for (String name : List.of("slack", "teams", "webhook")) {
      String file = name + (name.equals("webhook") ? "-url" : "-webhook-url");
      Files.writeString(secrets.resolve(file), listener.url() + "/" + name);
    }
    String production = Files.readString(FOLDER.resolve("production.yml"));
    int routes = production.indexOf("\nroute:\n");
    int inhibitions = production.indexOf("\ninhibit_rules:\n");
    String config = production.substring(0, routes) + routes() + production.substring(inhibitions);
    return Files.writeString(
        folder.resolve("alertmanager.yml"),
        config
            .replace(
                "/etc/alertmanager/templates",
                FOLDER.resolve("templates").toAbsolutePath().normalize().toString())
            .replace("/etc/alertmanager/secrets", secrets.toString())
            .replace(
                "smarthost: smtp.example.net:587",
                "smarthost: " + listener.smtpAddress() + "\n        require_tls: false"));
  }

  private String routes() {
    String each =
        RECEIVERS.keySet().stream()
            .sorted()
            .map(
                receiver ->
                    """
                        - matchers: [alertname = "storm"]
                          receiver: %1$s
                          group_by: [fingerprint]
                          continue: true
                        - matchers: ['alertname != "storm"']
                          receiver: %1$s
                          continue: true
                    """
                        .formatted(receiver))
            .collect(Collectors.joining());
    return """

        global:
          pagerduty_url: %1$s/pagerduty
          opsgenie_api_url: %1$s/opsgenie/
        route:
          receiver: nobody
          group_by: [source, alertname, site, outlived]
          group_wait: 500ms
          group_interval: 1s
          repeat_interval: 4h
          routes:
        """
            .formatted(listener.url())
        + each;
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "mixed", "storm", "acknowledged", "over"})
  void pageSaysWhatEachReceiverIsToBeTold(String name) throws Exception {
    Path pages = FOLDER.resolve("pages").resolve(name);
    ArrayNode alerts = (ArrayNode) JSON.readTree(pages.resolve("alerts.json").toFile());
    post(alerts, false);
    Map<String, String> told = awaitPages();
    if (Stream.of(alerts).flatMap(PagesTest::each).anyMatch(PagesTest::isOver)) {
      post(alerts, true);
      told = awaitPages();
    }

    for (String receiver : RECEIVERS.keySet()) {
      Path page = pages.resolve(receiver + (receiver.equals("mail") ? ".txt" : ".json"));
      if (System.getenv("TOCSIN_WRITE_GOLDEN") != null) {
        Files.writeString(page, told.get(receiver));
      }
      assertThat(told.get(receiver)).as("%s", page).isEqualTo(Files.readString(page));
    }
  }

  private static Stream<JsonNode> each(JsonNode array) {
    return array.findParents("annotations").stream();
  }

  private static boolean isOver(JsonNode alert) {
    return alert.path("annotations").has("resolved_at");
  }

  /** As the paging job posts them; at first none is over. */
  private void post(ArrayNode alerts, boolean isSecond) throws Exception {
    ArrayNode posted = alerts.deepCopy();
    Instant now = Instant.now();
    for (JsonNode alert : posted) {
      boolean isOver = isSecond && isOver(alert);
      ((ObjectNode) alert)
          .put("startsAt", now.toString())
          .put("endsAt", (isOver ? now : now.plusSeconds(3_600)).toString());
      if (!isSecond) {
        ((ObjectNode) alert.path("annotations")).remove("resolved_at");
      }
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/api/v2/alerts"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(posted.toString()))
            .build();
    long startedNanos = System.nanoTime();
    while (true) {
      try {
        assertThat(CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
        return;
      } catch (IOException e) {
        // It is still starting.
        assertThat(alertmanager.isAlive()).as("Alertmanager runs").isTrue();
        assertThat(System.nanoTime() - startedNanos).isLessThan(DEADLINE.toNanos());
      }
    }
  }

  /** One page for each receiver. */
  private Map<String, String> awaitPages() throws Exception {
    Map<String, String> told = new TreeMap<>();
    long startedNanos = System.nanoTime();
    while (told.size() < RECEIVERS.size()) {
      PageListener.Page page =
          listener.poll(DEADLINE.toNanos() - (System.nanoTime() - startedNanos));
      assertThat(page).as("pages came for %s only", told.keySet()).isNotNull();
      RECEIVERS.entrySet().stream()
          .filter(receiver -> isFor(receiver.getValue(), page.to()))
          .forEach(receiver -> told.put(receiver.getKey(), text(page)));
    }
    return told;
  }

  /** Opsgenie is also told the same words again, in case the alert was there already. */
  private static boolean isFor(String receiver, String to) {
    return to.equals(receiver) || to.startsWith(receiver) && to.endsWith("/close");
  }

  private static String text(PageListener.Page page) {
    try {
      return page.to().equals("mail")
          ? mail(page.body())
          : JSON.writeValueAsString(JSON.treeToValue(JSON.readTree(page.body()), Object.class))
                  .replaceAll("\"(startsAt|endsAt)\" : \"2[^\"]*\"", "\"$1\" : \"when posted\"")
              + "\n";
    } catch (IOException e) {
      throw new AssertionError(page.body(), e);
    }
  }

  /** What a person sees of it. */
  private static String mail(String message) {
    String headers =
        message
            .lines()
            .takeWhile(line -> !line.isEmpty())
            .filter(line -> line.matches("(From|To|Subject|X-Priority): .*"))
            .sorted()
            .collect(Collectors.joining("\n"));
    int part = message.indexOf("Content-Type: text/plain");
    int start = message.indexOf("\n\n", part) + 2;
    int end = message.indexOf("\n--", start);
    return headers + "\n\n" + decoded(message.substring(start, end)).stripTrailing() + "\n";
  }

  /** From quoted-printable, RFC 2045. */
  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String joined = text.replace("=\n", "");
    for (int i = 0; i < joined.length(); i++) {
      if (joined.charAt(i) == '=') {
        bytes.write(Integer.parseInt(joined.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        bytes.write(joined.charAt(i));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
