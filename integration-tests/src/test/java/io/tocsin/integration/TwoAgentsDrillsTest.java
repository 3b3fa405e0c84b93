package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.agent.AgentConfig;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two agents that devices send the same messages to, while each way loses others: rows, signals and
 * leases are there once, and the sheets of both agents close.
 */
class TwoAgentsDrillsTest {
  private static final List<String> LISTENERS = List.of("alert-udp", "dhcp-udp", "syslog-udp");
  private static final int LINES = 2_000;
  private static final int ALERTS = 60;
  private static final int CLIENTS = 60;
  private static final List<String> EXCHANGE = List.of("discover", "offer", "request", "ack");

  /** Of alerts, so that they are no storm: that takes more opens of one source. */
  private static final int SOURCES = 6;

  private static Stack stack;
  private static Ports portsOfB;

  @BeforeAll
  static void startTwoAgents() {
    stack = TestStacks.create("two-agents");
    stack.start();
    stack.restartAgent(copies("agent-a"));
    portsOfB = FreePorts.reserve();
    ObjectNode config = AgentConfig.generate(portsOfB, AgentService.hasIpv6());
    config.withObject("/kafka").put("bootstrap_servers", stack.kafkaBootstrapServers());
    StateFolder state = TestStacks.emptyState("two-agents-b");
    state.create();
    ServiceSpec agent =
        AgentService.spec(
            portsOfB,
            state,
            TestStacks.tools().tocsin(),
            AgentConfig.merge(config, copies("agent-b")));
    stack
        .supervisor()
        .launch(new ServiceSpec("agent-b", agent.command(), agent.environment(), agent.health()));
    stack.supervisor().awaitReady("agent-b");
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  private static ObjectNode copies(String agentId) {
    ObjectNode config = new ObjectMapper().createObjectNode().put("agent_id", agentId);
    ArrayNode listeners = config.putArray("listeners");
    for (String name : LISTENERS) {
      listeners
          .addObject()
          .put("name", name)
          .putObject("copies")
          .put("group", "drill")
          .put("agents", 2);
    }
    return config;
  }

  /**
   * The way to one of the agents, and what it loses: of ten messages the fourth, of seven the
   * sixth.
   */
  private enum Way {
    A(10, 3),
    B(7, 5);

    private final int lostOf;
    private final int lost;

    Way(int lostOf, int lost) {
      this.lostOf = lostOf;
      this.lost = lost;
    }

    boolean carries(int number) {
      return number % lostOf != lost;
    }

    static boolean anyCarries(int number) {
      return A.carries(number) || B.carries(number);
    }

    static boolean bothCarry(int number) {
      return A.carries(number) && B.carries(number);
    }
  }

  /**
   * A message that is sent both ways.
   *
   * @param listener that it is for
   * @param number among those of its listener
   * @param atMs when, from the begin
   * @param body rest of its line in an events file
   */
  private record Message(String listener, int number, int atMs, String body) {
    String line() {
      return "{\"offset_ms\":%d,%s}".formatted(atMs, body);
    }
  }

  @Test
  void whatEitherWayBroughtIsThereOnceAndTheOtherCopyIsCounted() throws Exception {
    List<Message> messages =
        Stream.of(lines(), updates(), leases())
            .flatMap(stream -> stream)
            .sorted(Comparator.comparingInt(Message::atMs))
            .toList();
    Process toA = send(Way.A, messages, stack.ports());
    Process toB = send(Way.B, messages, portsOfB);
    assertSent(toA);
    assertSent(toB);

    long copies = messages.stream().filter(message -> Way.bothCarry(message.number)).count();
    await("everything that came by either way, and what came by both")
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertStored(
                  "syslog WHERE app_name = 'two-agents'", "message", messages, "syslog-udp");
              assertStored(
                  "alert_updates WHERE source LIKE 'two-agents-%'",
                  "(device, action)", messages, "alert-udp");
              assertStored("dhcp", "(mac, message_type)", messages, "dhcp-udp");
              assertThat(
                      rows(
                          "count() > 1, countIf(NOT closed), sum(kernel_dropped) FROM tocsin.balance"))
                  .hasToString("[[1,0,0]]");
              assertThat(
                      number(
                          "sum(duplicates) FROM tocsin.balance WHERE agent_id IN ('agent-a', 'agent-b')"))
                  .as("copies of what was stored already")
                  .isEqualTo(copies);
            });
    assertSignals();
  }

  /** Each message that one of the ways carried, and none twice. */
  private static void assertStored(
      String table, String identity, List<Message> messages, String listener) {
    long carried =
        messages.stream()
            .filter(message -> message.listener.equals(listener) && Way.anyCarries(message.number))
            .count();
    assertThat(rows("count(), uniqExact(%s) FROM tocsin.%s".formatted(identity, table)))
        .as("rows of %s, and different ones", table)
        .hasToString("[[%1$d,%1$d]]".formatted(carried));
  }

  private static void assertSignals() {
    IntStream raised = IntStream.range(0, ALERTS).filter(Way::anyCarries);
    List<String> states =
        raised
            .mapToObj(
                alert ->
                    "[\"n%02d\",\"%s\",1]"
                        .formatted(alert, Way.anyCarries(ALERTS + alert) ? "resolved" : "open"))
            .toList();
    await("every alert said once by its monitor, and in the state that this ends in")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        rows(
                            "device, state, update_count FROM tocsin.alerts"
                                + " WHERE source LIKE 'two-agents-%' ORDER BY device"))
                    .hasToString("[" + String.join(",", states) + "]"));
    long bound =
        IntStream.range(0, CLIENTS)
            .filter(client -> Way.anyCarries(EXCHANGE.size() * client + EXCHANGE.indexOf("ack")))
            .count();
    await("every client that was given a lease")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(rows("countIf(state = 'bound') FROM tocsin.registrations"))
                    .hasToString("[[%d]]".formatted(bound)));
    assertThat(
            rows(
                "device, transition, count() FROM tocsin.alert_history"
                    + " WHERE source LIKE 'two-agents-%' GROUP BY 1, 2 HAVING count() > 1"))
        .as("transitions that were told twice")
        .isEmpty();
    assertThat(
            rows(
                "mac, state, count() FROM tocsin.registration_history"
                    + " GROUP BY 1, 2 HAVING count() > 1"))
        .as("states of a client that were told twice")
        .isEmpty();
  }

  private static Stream<Message> lines() {
    Instant time = Instant.now();
    return IntStream.range(0, LINES)
        .mapToObj(
            number ->
                new Message(
                    "syslog-udp",
                    number,
                    2 * number,
                    "\"to\":\"syslog-udp\",\"payload\":\"<134>1 %s sw%02d two-agents - - - line %d\""
                        .formatted(time, number % 20, number)));
  }

  /** All are raised, and then all are cleared. */
  private static Stream<Message> updates() {
    return IntStream.range(0, 2 * ALERTS)
        .mapToObj(
            number ->
                new Message(
                    "alert-udp",
                    number,
                    30 * number,
                    """
                    "to":"alert-udp","payload":"{\\"action\\":\\"%s\\",\\"source\\":\\"two-agents-%d\\",\\"device\\":\\"n%02d\\",\
                    \\"check\\":\\"node\\",\\"severity\\":\\"major\\",\\"summary\\":\\"node down\\"}\""""
                        .formatted(
                            number < ALERTS ? "update" : "delete",
                            number % SOURCES,
                            number % ALERTS)));
  }

  /**
   * What one client and its server say lies nearly a second apart: the two senders begin some
   * milliseconds apart, and an answer must not be heard before its question.
   */
  private static Stream<Message> leases() {
    return IntStream.range(0, EXCHANGE.size() * CLIENTS)
        .mapToObj(
            number -> {
              int client = number / EXCHANGE.size();
              int step = number % EXCHANGE.size();
              String type = EXCHANGE.get(step);
              return new Message(
                  "dhcp-udp",
                  number,
                  15 * (CLIENTS * step + client),
                  """
                  "dhcp":{"type":"%s","mac":"02:2a:00:00:00:%02x","xid":%d,"relay":"10.42.0.1",%s}"""
                      .formatted(
                          type, client, client + 1, fields(type, "10.42.0." + (client + 10))));
            });
  }

  private static String fields(String type, String ip) {
    return switch (type) {
      case "discover" -> "\"hostname\":\"drill\"";
      case "request" ->
          "\"state\":\"selecting\",\"ip\":\"%s\",\"server\":\"10.42.255.1\"".formatted(ip);
      default -> "\"ip\":\"%s\",\"server\":\"10.42.255.1\",\"lease_seconds\":3600".formatted(ip);
    };
  }

  private static Process send(Way way, List<Message> messages, Ports ports) throws IOException {
    Path file = stack.state().root().resolve("way-%s.jsonl".formatted(way));
    Files.write(
        file,
        messages.stream()
            .filter(message -> way.carries(message.number))
            .map(Message::line)
            .toList());
    return new ProcessBuilder(
            TestStacks.tools().tocsin().toString(),
            "send",
            "--port-offset=" + ports.offset(),
            file.toString())
        .redirectErrorStream(true)
        .start();
  }

  private static void assertSent(Process sender) throws InterruptedException {
    Ended ended = Ended.of(sender);
    assertThat(ended.exitCode()).as(ended.output()).isZero();
  }

  private static JsonNode rows(String select) {
    return stack.clickHouse().rows("SELECT " + select);
  }

  private static long number(String select) {
    return stack.clickHouse().number("SELECT " + select);
  }
}
