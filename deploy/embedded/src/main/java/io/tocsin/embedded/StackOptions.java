package io.tocsin.embedded;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a stack is to be.
 *
 * @param ports of all its parts
 * @param state where it keeps everything
 * @param stateBackend of Flink: "hashmap" or "rocksdb"
 * @param parallelism instances of each operator of the jobs
 * @param withGrafana whether to start Grafana where the machine has it
 * @param isSecured whether Kafka asks everybody for TLS, a login and permission; a state folder
 *     that was made so stays so
 * @param kafkaGeneration how often Kafka was lost and restored
 * @param jobOptions what {@code --set} of {@code FlinkMain} takes: "JOB.OPTION" to its value
 */
public record StackOptions(
    Ports ports,
    StateFolder state,
    String stateBackend,
    int parallelism,
    boolean withGrafana,
    boolean isSecured,
    int kafkaGeneration,
    Map<String, String> jobOptions) {

  private static final int MAX_PARALLELISM = 4;

  /** Refuses a number of instances that no stack can have. */
  public StackOptions {
    if (parallelism < 1 || parallelism > MAX_PARALLELISM) {
      throw new IllegalArgumentException(
          "PARALLELISM is "
              + parallelism
              + ": give a whole number from 1 to "
              + MAX_PARALLELISM
              + ", which is how many partitions a topic has");
    }
  }

  /** State in memory, one instance of each operator, no Grafana, open to whoever is here. */
  public static StackOptions of(int portOffset, Path stateFolder) {
    return new StackOptions(
        new Ports(portOffset),
        new StateFolder(stateFolder),
        "hashmap",
        1,
        false,
        false,
        0,
        Map.of());
  }

  /** The same with so many instances of each operator. */
  public StackOptions withParallelism(int instances) {
    return new StackOptions(
        ports, state, stateBackend, instances, withGrafana, isSecured, kafkaGeneration, jobOptions);
  }

  /** The same behind TLS, logins and permissions. */
  public StackOptions secured() {
    return new StackOptions(
        ports, state, stateBackend, parallelism, withGrafana, true, kafkaGeneration, jobOptions);
  }

  /** The same with other options of jobs. */
  public StackOptions withJobOptions(Map<String, String> others) {
    return new StackOptions(
        ports, state, stateBackend, parallelism, withGrafana, isSecured, kafkaGeneration, others);
  }

  /** The same after Kafka was lost and restored. */
  public StackOptions withKafkaGeneration(int generation) {
    return new StackOptions(
        ports, state, stateBackend, parallelism, withGrafana, isSecured, generation, jobOptions);
  }
}
