package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Stack;
import java.io.IOException;
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
    String applied = "SELECT count(), uniqExact(number, name) FROM tocsin.schema_migrations";
    String afterBoth = stack.clickHouse().rows(applied).toString();
    Ended third = Ended.of(schema("apply"));
    assertThat(third.exitCode()).as(third.output()).isZero();
    assertThat(stack.clickHouse().rows(applied)).hasToString(afterBoth);
  }

  private Process schema(String command) throws IOException {
    return new ProcessBuilder(
            Stream.of(
                    TestStacks.tools().tocsin().toString(),
                    "schema",
                    command,
                    "--kafka",
                    stack.kafkaBootstrapServers(),
                    "--clickhouse",
                    stack.clickHouseUrl(),
                    "--schemas",
                    TestStacks.tools().schemas().toString())
                .toList())
        .redirectErrorStream(true)
        .start();
  }
}
