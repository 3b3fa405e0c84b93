package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import io.tocsin.embedded.security.KafkaPermissions;
import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stack whose Kafka asks for TLS, a login and permission: what it finds, who comes in, who may do
 * what, what somebody is told who may not, and that no password is seen anywhere.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SecuredKafkaDrillsTest {
  private static final Duration DEADLINE = TestStacks.DEADLINE;

  private static Stack stack;

  @TempDir private Path folder;

  @BeforeAll
  static void startStack() {
    stack = TestStacks.createSecured("secured-kafka");
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @TestFactory
  List<DynamicTest> rowsAndPagesAreThoseOfAnOpenStack() {
    TrafficSender sender =
        TrafficSender.local(
            TestStacks.tools().tocsin(), stack.ports(), stack.state(), System.out::println);
    ScenarioRunner runner =
        new ScenarioRunner(stack.clickHouse(), sender, stack, stack, System.out::println);
    return ScenarioTests.playedBy(
        runner::play, runner::askNever, List.of("every-source", "burst-500"));
  }

  @Test
  void operatorImportsDevicesAndListsRules() throws Exception {
    Ended devices = importDevices(fileOf(KafkaUser.OPERATOR));
    assertThat(devices.exitCode()).as(devices.output()).isZero();
    Ended listed = listRules(fileOf(KafkaUser.OPERATOR));
    assertThat(listed.exitCode()).as(listed.output()).isZero();
    assertThat(listed.output()).contains("link");
  }

  @Test
  void wrongPasswordIsToldWithTheRemedy() throws Exception {
    Path config = withWrongPassword();
    assertRefused(
        importDevices(config),
        "does not know user tocsin_operator with this password",
        "sasl.password.file");
    assertRefused(
        listRules(config), "does not know this user with this password", "sasl.password.file");
  }

  @Test
  void agentWithAWrongPasswordSaysSoInItsLog() throws Exception {
    Path config = folder.resolve("agent.yaml");
    Files.writeString(
        config,
        """
        kafka: {config_file: %s}
        telemetry: {listen: "127.0.0.1:0"}
        listeners: [{name: alert-udp, kind: alert, transport: udp, listen: "127.0.0.1:0"}]
        """
            .formatted(withWrongPassword()));
    Process agent =
        new ProcessBuilder(TestStacks.tools().tocsin().toString(), "agent", "-c", config.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader log = agent.inputReader()) {
      String told =
          assertTimeoutPreemptively(
                  DEADLINE,
                  () -> log.lines().filter(line -> line.contains("takes no records")).findFirst())
              .orElseThrow();
      assertThat(told)
          .contains("does not know user tocsin_operator with this password", "set sasl.username")
          .doesNotContain("hunter2");
    } finally {
      agent.destroyForcibly().waitFor();
    }
  }

  @Test
  void unknownAuthorityIsToldWithTheRemedy() throws Exception {
    Path other =
        Secrets.madeFor(new StateFolder(folder.resolve("other")), new Ports(0)).authority();
    Path config = changed("ssl.ca.location=.*", "ssl.ca.location=" + other);
    for (Ended ended : List.of(importDevices(config), listRules(config))) {
      assertRefused(ended, "is by no authority that is believed here", "authority that signed it");
    }
  }

  @Test
  void plainConnectionIsToldWithTheRemedy() throws Exception {
    Path config = folder.resolve("plain.properties");
    Files.writeString(config, "bootstrap.servers=" + stack.kafkaBootstrapServers() + "\n");
    assertRefused(
        importDevices(config),
        "as one that wants TLS does",
        "set security.protocol to that of the listener");
  }

  @Test
  void missingPermissionIsToldWithUserTopicAndRemedy() throws Exception {
    assertRefused(
        importDevices(fileOf(KafkaUser.AGENT)),
        "user tocsin_agent may not do this with topic devices-v1",
        "kafka-acls.sh");
    assertRefused(
        listRules(fileOf(KafkaUser.ENFORCE)),
        "this user may not do this",
        "rules-v1",
        "kafka-acls.sh");
  }

  /** As the broker judges every pair of a user and a topic. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BROKER")
  void everybodyMayDoWhatTheTopicsSayAndNothingElse(KafkaUser user) throws Exception {
    KafkaPermissions permissions = KafkaPermissions.of(TestStacks.tools().schemas());
    Map<AclOperation, Set<String>> allowed =
        new TreeMap<>(
            Map.of(AclOperation.READ, new TreeSet<>(), AclOperation.WRITE, new TreeSet<>()));
    try (Admin admin =
        Admin.create(new Secrets(secretsFolder()).connection(user).client(Map.of()))) {
      Map<String, KafkaFuture<TopicDescription>> answers =
          admin
              .describeTopics(
                  permissions.topics(),
                  new DescribeTopicsOptions().includeAuthorizedOperations(true))
              .topicNameValues();
      for (var answer : answers.entrySet()) {
        for (AclOperation operation : authorized(answer.getValue())) {
          allowed.computeIfAbsent(operation, key -> new TreeSet<>()).add(answer.getKey());
        }
      }
    }
    assertThat(allowed.get(AclOperation.READ)).as("reads").isEqualTo(permissions.reads(user));
    assertThat(allowed.get(AclOperation.WRITE)).as("writes").isEqualTo(permissions.writes(user));
    if (user != KafkaUser.SCHEMA) {
      assertThat(allowed.keySet())
          .as("kinds of what it may do")
          .containsOnly(AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE);
    }
  }

  private static Set<AclOperation> authorized(KafkaFuture<TopicDescription> answer)
      throws InterruptedException {
    try {
      return answer.get().authorizedOperations();
    } catch (ExecutionException e) {
      assertThat(e.getCause()).isInstanceOf(TopicAuthorizationException.class);
      return Set.of();
    }
  }

  @Test
  void nobodyElseCanReadTheSecrets() throws IOException {
    try (Stream<Path> files = Files.list(secretsFolder())) {
      assertThat(files)
          .isNotEmpty()
          .allSatisfy(each -> assertThat(permissionsOf(each)).isEqualTo("rw-------"));
    }
    assertThat(permissionsOf(secretsFolder())).isEqualTo("rwx------");
  }

  /** Last, so that everything has been said that is said. */
  @Test
  @Order(Integer.MAX_VALUE)
  void noPasswordIsInALogAStateAProcessListOrAWebPage() throws Exception {
    Secrets secrets = new Secrets(secretsFolder());
    List<String> passwords =
        Arrays.stream(KafkaUser.values()).map(secrets::password).map(String::strip).toList();
    Map<String, String> texts = new TreeMap<>();
    files(texts, stack.state().logs());
    files(texts, stack.state().of("flink"));
    text(texts, stack.state().agentConfig());
    text(texts, stack.state().of("kafka").resolve("server.properties"));
    processes(texts);
    pages(texts);
    texts.put(
        "agent --dump",
        tocsin("agent", "-c", stack.state().agentConfig().toString(), "--dump").output());

    assertThat(texts).hasSizeGreaterThan(30);
    texts.forEach(
        (where, text) -> {
          assertThat(passwords).as(where).noneMatch(text::contains);
          assertThat(text).as(where).doesNotContain("storedKey=");
        });
  }

  /** Checkpoints come and go meanwhile: what has gone is passed over. */
  private static void files(Map<String, String> texts, Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            text(texts, file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return passOver(failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, IOException failure)
              throws IOException {
            return passOver(failure);
          }
        });
  }

  private static FileVisitResult passOver(IOException failure) throws IOException {
    if (failure != null && !(failure instanceof NoSuchFileException)) {
      throw failure;
    }
    return FileVisitResult.CONTINUE;
  }

  private static void text(Map<String, String> texts, Path file) throws IOException {
    try {
      texts.put(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException e) {
      // A checkpoint that another has replaced, or a process that has ended.
    }
  }

  private static void processes(Map<String, String> texts) throws IOException {
    for (String name : stack.supervisor().names()) {
      Path process = Path.of("/proc", Long.toString(stack.supervisor().pid(name)));
      text(texts, process.resolve("cmdline"));
      text(texts, process.resolve("environ"));
    }
  }

  private static void pages(Map<String, String> texts) throws Exception {
    String flink = "http://127.0.0.1:" + stack.ports().flink();
    List<String> paths = new ArrayList<>();
    paths.addAll(List.of("/config", "/jobmanager/config", "/jobmanager/environment"));
    for (JsonNode job : Http.json(URI.create(flink + "/jobs/overview")).path("jobs")) {
      for (String part : List.of("", "/config", "/plan", "/jobmanager/config", "/exceptions")) {
        paths.add("/jobs/" + job.path("jid").asText() + part);
      }
    }
    for (String path : paths) {
      texts.put(path, Http.json(URI.create(flink + path)).toString());
    }
  }

  private static Path secretsFolder() {
    return fileOf(KafkaUser.AGENT).getParent();
  }

  private static Path fileOf(KafkaUser user) {
    return stack.clientFile(user).orElseThrow();
  }

  private static String permissionsOf(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void assertRefused(Ended ended, String... told) {
    assertThat(ended.exitCode()).as(ended.output()).isNotZero();
    assertThat(ended.output()).contains(told).doesNotContain("hunter2");
  }

  private static Ended tocsin(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(TestStacks.tools().tocsin().toString()));
    command.addAll(List.of(arguments));
    return Ended.of(new ProcessBuilder(command));
  }

  private Ended importDevices(Path kafkaConfig) throws IOException, InterruptedException {
    Path list = folder.resolve("devices.csv");
    Files.writeString(list, "mac,access,owner\n02:00:00:00:00:01,allowed,somebody\n");
    return tocsin("devices", "import", list.toString(), "--kafka-config", kafkaConfig.toString());
  }

  private static Ended listRules(Path kafkaConfig) throws IOException, InterruptedException {
    return Ended.of(
        new ProcessBuilder(
            JavaProcess.command(
                io.tocsin.rules.command.Main.class,
                "128m",
                JavaProcess.quickStartFlags(),
                List.of("list", "--kafka-config", kafkaConfig.toString()))));
  }

  private Path withWrongPassword() throws IOException {
    Path wrong = Files.writeString(folder.resolve("wrong"), "hunter2");
    return changed("sasl.password.file=.*", "sasl.password.file=" + wrong);
  }

  /** The operator's file with one line changed. */
  private Path changed(String from, String to) throws IOException {
    Path original = fileOf(KafkaUser.OPERATOR);
    String text =
        Files.readString(original)
            .replace("=ca.pem", "=" + original.resolveSibling("ca.pem"))
            .replace("file=", "file=" + original.getParent() + "/");
    return Files.writeString(folder.resolve("kafka.properties"), text.replaceAll(from, to));
  }
}
