package io.tocsin.embedded;

import java.nio.file.Path;

/**
 * What a stack is to be.
 *
 * @param ports of all its parts
 * @param state where it keeps everything
 * @param stateBackend of Flink: "hashmap" or "rocksdb"
 * @param withGrafana whether to start Grafana where the machine has it
 */
public record StackOptions(
    Ports ports, StateFolder state, String stateBackend, boolean withGrafana) {

  /** State in memory, no Grafana. */
  public static StackOptions of(int portOffset, Path stateFolder) {
    return new StackOptions(new Ports(portOffset), new StateFolder(stateFolder), "hashmap", false);
  }
}
