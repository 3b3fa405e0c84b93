package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code tocsin schema} against a Kafka and a ClickHouse without topics and tables. */
class SchemaDrillsTest {
  private Stack stack;

  @BeforeEach
  void startStores() {
    stack = TestStacks.create("schema");
    stack.startStores();
  }

  @AfterEach
  void stopStores() {
    stack.close();
  }

  @Test
  void twoAppliesAtOnceMakeOneSchemaAndAThirdFindsNothingToDo() throws Exception {
    assertThat(Ended.of(schema("status")).exitCode()).as("exit code of status before").isEqualTo(1);

    List<Process> both = List.of(schema("apply"), schema("apply"));
    for (Process apply : both) {
      Ended ended = Ended.of(apply);
      assertThat(ended.exitCode()).as(ended.output()).isZero();
    }

    Ended status = Ended.of(schema("status"));
    assertThat(status.exitCode()).as(status.output()).isZero();
    // As merged, because a merge may come between the questions; what is written again is newer.
    String applied =
        "SELECT count(), uniqExact(number, name), max(applied_at)"
            + " FROM tocsin.schema_migrations FINAL";
    String afterBoth = stack.clickHouse().rows(applied).toString();
    Ended third = Ended.of(schema("apply"));
    assertThat(third.exitCode()).as(third.output()).isZero();
    assertThat(stack.clickHouse().rows(applied)).hasToString(afterBoth);
  }

  @Test
  void anOlderVersionIsRefusedBeforeATopicOrATableIsChanged() throws Exception {
    assertThat(Ended.of(schema("apply")).exitCode()).isZero();
    // A migration that this version does not know, and a topic that it wants otherwise.
    stack
        .clickHouse()
        .execute(
            "INSERT INTO tocsin.schema_migrations (number, name, sha256) VALUES (9999, '9999_of_a_later_version.sql', 'x')");
    Path older = copyOfSchemas();
    Path topic = older.resolve("topics/events-syslog-v1.yaml");
    Files.writeString(
        topic, Files.readString(topic).replace("retention_hours: 72", "retention_hours: 1"));

    Ended apply = Ended.of(schema("apply", older));

    assertThat(apply.exitCode()).as(apply.output()).isEqualTo(1);
    assertThat(apply.output()).contains("9999_of_a_later_version.sql", "newer tocsin binary");
    assertThat(apply.output()).doesNotContain("altered topic");
    Ended topics = Ended.of(schema("status", TestStacks.tools().schemas(), "--only=kafka"));
    assertThat(topics.exitCode()).as(topics.output()).isZero();
  }

  private Path copyOfSchemas() throws IOException {
    Path schemas = TestStacks.tools().schemas();
    Path copy = stack.state().root().resolve("older-schemas");
    try (Stream<Path> files = Files.walk(schemas)) {
      for (Path file : files.toList()) {
        Path target = copy.resolve(schemas.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
    return copy;
  }

  private Process schema(String command) throws IOException {
    return schema(command, TestStacks.tools().schemas());
  }

  private Process schema(String command, Path schemas, String... options) throws IOException {
    return new ProcessBuilder(
            Stream.concat(
                    Stream.of(
                        TestStacks.tools().tocsin().toString(),
                        "schema",
                        command,
                        "--kafka",
                        stack.kafkaBootstrapServers(),
                        "--clickhouse",
                        stack.clickHouseUrl(),
                        "--schemas",
                        schemas.toString()),
                    Stream.of(options))
                .toList())
        .redirectErrorStream(true)
        .start();
  }
}
