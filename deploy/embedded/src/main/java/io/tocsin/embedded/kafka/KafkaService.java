package io.tocsin.embedded.kafka;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import io.tocsin.kafka.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** The broker: one node that is broker and controller, on loopback. */
public final class KafkaService {

  /** Name in messages and of the log file. */
  public static final String NAME = "kafka";

  private KafkaService() {}

  /**
   * Writes the broker's configuration and says how to run it.
   *
   * @param secrets of a stack that is secured
   */
  public static ServiceSpec spec(Ports ports, StateFolder state, Optional<Secrets> secrets) {
    Path folder = state.of(NAME);
    Path config = folder.resolve("server.properties");
    String open = properties(ports, folder);
    try {
      Files.createDirectories(folder);
      Files.writeString(
          config, secrets.map(known -> SecuredKafka.properties(open, known)).orElse(open));
    } catch (IOException e) {
      throw new UncheckedIOException(config + " cannot be written: " + e.getMessage(), e);
    }
    List<String> arguments = new ArrayList<>(List.of(config.toString()));
    secrets.ifPresent(known -> arguments.add(known.folder().toString()));
    // With both compilers: a broker that only starts quickly takes more than twice the CPU for
    // each request, for as long as it runs.
    List<String> command = JavaProcess.command(KafkaMain.class, "512m", List.of(), arguments);
    KafkaConnection connection =
        secrets
            .map(known -> known.connection(KafkaUser.BROKER))
            .orElseGet(() -> KafkaConnection.of("127.0.0.1:" + ports.kafka()));
    Health listening = Health.tcp("127.0.0.1", ports.kafka());
    return new ServiceSpec(NAME, command, Map.of(), listening.and(() -> cluster(connection)));
  }

  /**
   * Kafka's configuration: everything on loopback, internal topics with one replica, no wait before
   * the first rebalance of a group, topics only by {@code tocsin schema apply}. After SIGKILL the
   * controller lets the broker in again only when the session of the one before is over, so that is
   * short. With nothing to write a controller forces a record to the disk each five seconds, where
   * Kafka's own two a second are for followers.
   */
  static String properties(Ports ports, Path folder) {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%2$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%3$s
        auto.create.topics.enable=false
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=4
        transaction.state.log.replication.factor=1
        transaction.state.log.num.partitions=4
        transaction.state.log.min.isr=1
        share.coordinator.state.topic.replication.factor=1
        share.coordinator.state.topic.num.partitions=4
        share.coordinator.state.topic.min.isr=1
        group.initial.rebalance.delay.ms=0
        group.coordinator.threads=1
        broker.heartbeat.interval.ms=500
        broker.session.timeout.ms=3000
        metadata.max.idle.interval.ms=5000
        log.cleaner.dedupe.buffer.size=16777216
        num.network.threads=2
        num.io.threads=4
        """
        .formatted(ports.kafka(), ports.kafkaController(), folder.resolve("data"));
  }

  /** Ready when a client can learn of a broker and a controller. */
  private static Optional<String> cluster(KafkaConnection connection) throws InterruptedException {
    int timeoutMs = (int) Health.TIMEOUT.toMillis();
    Map<String, Object> config =
        connection.client(
            Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMs,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMs));
    Admin admin = Admin.create(config);
    try {
      var cluster = admin.describeCluster();
      boolean isEmpty = cluster.nodes().get(timeoutMs, TimeUnit.MILLISECONDS).isEmpty();
      return isEmpty ? Optional.of("no broker has registered") : Optional.empty();
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of("it does not describe its cluster yet");
    } finally {
      admin.close(Duration.ZERO);
    }
  }
}
