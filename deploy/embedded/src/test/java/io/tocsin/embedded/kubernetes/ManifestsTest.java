package io.tocsin.embedded.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.security.KafkaPermissions;
import io.tocsin.embedded.security.KafkaUser;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.ResourceManagerOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What stands in deploy/kubernetes against what our programs and their parts know of it. */
class ManifestsTest {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path BASE =
      Tools.find().repository().resolve("deploy/kubernetes/base").toAbsolutePath();

  @Test
  void usersOfKafkaMayDoWhatTheTableSaysAndNoMore() throws IOException {
    Set<String> said = new TreeSet<>();
    for (JsonNode user : documents("kafka/users.yaml")) {
      for (JsonNode acl : user.at("/spec/authorization/acls")) {
        JsonNode resource = acl.get("resource");
        for (JsonNode operation : acl.get("operations")) {
          said.add(
              row(
                  user.at("/metadata/name").asText(),
                  operation.asText(),
                  resource.get("type").asText(),
                  resource.path("patternType").asText("literal"),
                  resource.get("name").asText()));
        }
      }
    }

    Set<String> table = new TreeSet<>();
    KafkaPermissions.of(Tools.find().schemas())
        .acls()
        .forEach(
            acl ->
                table.add(
                    row(
                        acl.entry().principal().replace("User:tocsin_", "tocsin-"),
                        acl.entry().operation().name().replace("_", ""),
                        acl.pattern().resourceType().name(),
                        acl.pattern().patternType().name().replace("PREFIXED", "prefix"),
                        acl.pattern().name())));
    assertThat(said).isEqualTo(table);
  }

  private static String row(String... words) {
    return String.join(" ", words).toLowerCase(Locale.ROOT);
  }

  @Test
  void everyUserOfKafkaIsAUserOfKubernetes() throws IOException {
    assertThat(documents("kafka/users.yaml"))
        .extracting(user -> user.at("/metadata/name").asText())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(KafkaUser.values())
                .filter(user -> user != KafkaUser.BROKER)
                .map(user -> user.login().replace('_', '-'))
                .toList());
  }

  @Test
  void eachJobHasADeploymentWithArgumentsThatItTakes() throws Exception {
    Set<String> names = new TreeSet<>();
    for (JsonNode job : documents("flink/jobs.yaml")) {
      names.add(job.at("/metadata/name").asText());
      String main = job.at("/spec/job/entryClass").asText();
      assertThat(Class.forName(main).getMethod("main", String[].class)).isNotNull();
      Object options =
          Class.forName(main.replaceAll("Job$", "Options")).getDeclaredConstructor().newInstance();
      String[] arguments =
          StreamSupport.stream(job.at("/spec/job/args").spliterator(), false)
              .map(JsonNode::asText)
              .toArray(String[]::new);
      assertThatCode(() -> new CommandLine(options).parseArgs(arguments))
          .as(main)
          .doesNotThrowAnyException();
    }
    JsonNode watch = documents("commands/watch-jobs.yaml").get(0);
    String watched = watch.at("/spec/template/spec/containers/0/args/3").asText();
    assertThat(Set.of(watched.replace("--jobs=", "").split(",")))
        .containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void flinkKnowsEverySettingAndItsValue() throws IOException {
    Map<String, ConfigOption<?>> known = flinkOptions();
    JsonNode settings = documents("flink/every-job.yaml").get(0).at("/spec/flinkConfiguration");
    Configuration configuration = new Configuration();
    settings
        .properties()
        .forEach(setting -> configuration.setString(setting.getKey(), setting.getValue().asText()));
    for (var setting : settings.properties()) {
      String name = setting.getKey();
      // Of the operator and of Flink on Kubernetes, which are not on the class path; of the
      // reporter,
      // which has no option.
      if (name.matches(
          "(kubernetes\\.operator|job\\.autoscaler|metrics\\.reporter|high-availability\\.kubernetes)\\..*")) {
        continue;
      }
      assertThat(known.get(name)).as("setting %s", name).isNotNull();
      assertThat(configuration.getOptional(known.get(name))).as(name).isPresent();
    }
    assertThat(configuration.get(PipelineOptions.MAX_PARALLELISM)).isEqualTo(720);
  }

  /** What was tried with one holds for the other. */
  @Test
  void composeAndKubernetesSayTheSameOfHowAFaultIsNoticed() throws IOException {
    JsonNode kubernetes = documents("flink/every-job.yaml").get(0).at("/spec/flinkConfiguration");
    JsonNode compose = YAML.readTree(BASE.resolve("../../compose/flink.yaml").toFile());
    for (String name :
        List.of(
            "heartbeat.interval",
            "heartbeat.timeout",
            "heartbeat.rpc-failure-threshold",
            "pekko.ask.timeout",
            "pekko.startup-timeout",
            "restart-strategy.type",
            "restart-strategy.exponential-delay.initial-backoff",
            "restart-strategy.exponential-delay.max-backoff",
            "taskmanager.load-balance.mode",
            "execution.checkpointing.num-retained")) {
      assertThat(kubernetes.path(name).asText())
          .as(name)
          .isNotEmpty()
          .isEqualTo(compose.path(name).asText());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"server.xml", "keeper.xml"})
  void settingsOfClickHouseAreXml(String file) throws Exception {
    assertThat(
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(BASE.resolve("clickhouse").resolve(file).toFile())
                .getDocumentElement()
                .getTagName())
        .isEqualTo("clickhouse");
  }

  private static Map<String, ConfigOption<?>> flinkOptions() {
    Map<String, ConfigOption<?>> options = new TreeMap<>();
    for (Class<?> holder :
        List.of(
            CheckpointingOptions.class,
            CoreOptions.class,
            HeartbeatManagerOptions.class,
            HighAvailabilityOptions.class,
            MetricOptions.class,
            PipelineOptions.class,
            ResourceManagerOptions.class,
            RpcOptions.class,
            RestartStrategyOptions.class,
            StateBackendOptions.class,
            StateRecoveryOptions.class,
            TaskManagerOptions.class,
            WebOptions.class)) {
      for (Field field : holder.getFields()) {
        if (field.getType() == ConfigOption.class) {
          try {
            ConfigOption<?> option = (ConfigOption<?>) field.get(null);
            options.put(option.key(), option);
          } catch (IllegalAccessException e) {
            throw new AssertionError(field + " cannot be read", e);
          }
        }
      }
    }
    return options;
  }

  private static List<JsonNode> documents(String file) throws IOException {
    List<JsonNode> documents = new ArrayList<>();
    YAML.readerFor(JsonNode.class)
        .<JsonNode>readValues(BASE.resolve(file).toFile())
        .forEachRemaining(documents::add);
    return documents;
  }
}
