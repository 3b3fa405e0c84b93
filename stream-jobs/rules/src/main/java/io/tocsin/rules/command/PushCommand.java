package io.tocsin.rules.command;

import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules push}. */
@Command(
    name = "push",
    description = {
      "Puts documents in force: checks all of them, then publishes to topic rules-v1 those that differ from",
      "what is there. Running jobs take them without a restart. If one document is refused, nothing is published."
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class PushCommand implements Callable<Integer> {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @Mixin private RulePaths paths;
  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Option(
      names = "--prune",
      description =
          "remove rules and dependencies that are in force and not in the files; maintenance windows stay")
  private boolean isPruned;

  @Option(
      names = "--prune-windows",
      description = "remove maintenance windows that are in force and not in the files")
  private boolean isPrunedOfWindows;

  @Option(names = "--dry-run", description = "say what would be done, and do nothing")
  private boolean isDryRun;

  @Override
  public Integer call() {
    RuleFiles files = paths.read(spec.commandLine().getErr());
    try {
      push(files);
    } catch (KafkaException e) {
      throw kafka.failure(e);
    }
    return 0;
  }

  private void push(RuleFiles files) {
    RulesTopic.Contents before = new RulesTopic(kafka.connection(), DEADLINE).read();
    PushPlan plan = PushPlan.of(files, before, isPruned, isPrunedOfWindows);
    if (!isDryRun) {
      publish(plan);
    }
    report(files, before, plan);
  }

  private static RuleDocument record(String name, RuleFiles.Loaded loaded) {
    Instant now = Clock.systemUTC().instant();
    return RuleDocument.newBuilder()
        .setName(name)
        .setYaml(loaded.text().text())
        .setOrigin(loaded.text().origin())
        .setPushedAtUnixNanos(now.getEpochSecond() * 1_000_000_000L + now.getNano())
        .build();
  }

  private void publish(PushPlan plan) {
    Map<String, Object> settings =
        kafka
            .connection()
            .client(
                Map.of(
                    ProducerConfig.CLIENT_ID_CONFIG,
                    "tocsin-rules",
                    ProducerConfig.ACKS_CONFIG,
                    "all",
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    true,
                    ProducerConfig.MAX_BLOCK_MS_CONFIG,
                    DEADLINE.toMillis(),
                    ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    (int) DEADLINE.toMillis(),
                    ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    (int) DEADLINE.toMillis() / 3));
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      plan.changed()
          .forEach(
              (name, loaded) ->
                  sent.add(producer.send(keyed(name, record(name, loaded).toByteArray()))));
      plan.removed().forEach(name -> sent.add(producer.send(keyed(name, null))));
      for (Future<?> each : sent) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new KafkaException(
          "a document was not taken: " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted before every document was taken", e);
    }
  }

  private static ProducerRecord<byte[], byte[]> keyed(String name, byte[] value) {
    return new ProducerRecord<>(RulesTopic.NAME, name.getBytes(StandardCharsets.UTF_8), value);
  }

  private void report(RuleFiles files, RulesTopic.Contents before, PushPlan plan) {
    PrintWriter out = spec.commandLine().getOut();
    plan.changed()
        .forEach(
            (name, loaded) ->
                out.println(
                    (before.documents().containsKey(name) ? "changed  " : "added    ")
                        + name
                        + (loaded.document() == loaded.written()
                            ? ""
                            : "  (" + loaded.text().origin() + ")")));
    plan.removed()
        .forEach(
            name ->
                out.println(
                    "removed  "
                        + name
                        + (files.disabled().contains(name) ? "  (disabled by an override)" : "")));
    out.println(
        (isDryRun ? "would be in force: " : "in force: ")
            + RulePaths.count(files)
            + " of these files; "
            + plan.changed().size()
            + " published, "
            + plan.removed().size()
            + " removed");
  }
}
