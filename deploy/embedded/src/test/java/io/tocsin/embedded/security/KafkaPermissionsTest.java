package io.tocsin.embedded.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclOperation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaPermissionsTest {
  private final KafkaPermissions permissions = KafkaPermissions.of(Tools.find().schemas());

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BROKER")
  void tableForOperatorsSaysOfEachUserWhatTheTopicsSay(KafkaUser user) throws IOException {
    String row =
        Files.readAllLines(Tools.find().repository().resolve("deploy/README.md")).stream()
            .filter(line -> line.startsWith("| `" + user.login() + "`"))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no row for " + user.login()));
    String[] cells = row.split("\\|", -1);
    assertThat(cells[2].strip()).as("reads").isEqualTo(cell(permissions.reads(user)));
    assertThat(cells[3].strip()).as("writes").isEqualTo(cell(permissions.writes(user)));
  }

  private String cell(Set<String> topics) {
    return topics.equals(permissions.topics())
        ? "every topic"
        : topics.stream().sorted().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
  }

  @Test
  void nobodyButTheSchemaMayChangeATopic() {
    assertThat(permissions.acls())
        .filteredOn(
            acl -> !Set.of(AclOperation.READ, AclOperation.WRITE).contains(acl.entry().operation()))
        .isNotEmpty()
        .allSatisfy(acl -> assertThat(acl.entry().principal()).isEqualTo("User:tocsin_schema"));
  }

  @Test
  void everyTopicHasAWriterAndAReader() {
    for (String topic : permissions.topics()) {
      assertThat(KafkaUser.values())
          .as(topic)
          .anyMatch(user -> permissions.writes(user).contains(topic))
          .anyMatch(user -> permissions.reads(user).contains(topic));
    }
  }
}
