package io.tocsin.embedded;

import java.nio.file.Path;

/**
 * What a stack is to be.
 *
 * @param ports of all its parts
 * @param state where it keeps everything
 * @param stateBackend of Flink: "hashmap" or "rocksdb"
 * @param withGrafana whether to start Grafana where the machine has it
 * @param isSecured whether Kafka asks everybody for TLS, a login and permission; a state folder
 *     that was made so stays so
 */
public record StackOptions(
    Ports ports, StateFolder state, String stateBackend, boolean withGrafana, boolean isSecured) {

  /** State in memory, no Grafana, open to whoever is on this machine. */
  public static StackOptions of(int portOffset, Path stateFolder) {
    return new StackOptions(
        new Ports(portOffset), new StateFolder(stateFolder), "hashmap", false, false);
  }

  /** The same behind TLS, logins and permissions. */
  public StackOptions secured() {
    return new StackOptions(ports, state, stateBackend, withGrafana, true);
  }
}
