package io.tocsin.embedded.clickhouse;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The store, on loopback. */
public final class ClickHouseService {

  /** Name in messages and of the log file. */
  public static final String NAME = "clickhouse";

  /**
   * On one machine an alert goes before a row: inserts and merges, which can wait, get a processor
   * when nobody who has an alert to tell wants it. Under sched(7)'s autogroups a niceness counts
   * among the processes of a session alone, and each service has one of its own, so the group is
   * told too, where the kernel has them.
   */
  private static final List<String> NICELY =
      List.of(
          "sh", "-c", "{ echo 10 >/proc/$$/autogroup; } 2>/dev/null; exec nice -n 10 \"$@\"", NAME);

  private ClickHouseService() {}

  /** How to run it with the engine {@code libchdb}. */
  public static ServiceSpec spec(Ports ports, StateFolder state, Path libchdb) {
    List<String> command = new ArrayList<>(NICELY);
    command.addAll(
        JavaProcess.command(
            ClickHouseMain.class,
            "64m",
            JavaProcess.quickStartFlags(),
            List.of(
                "--library=" + libchdb,
                "--path=" + state.of(NAME),
                "--http-port=" + ports.clickHouseHttp(),
                "--native-port=" + ports.clickHouseNative())));
    URI ping = URI.create("http://127.0.0.1:" + ports.clickHouseHttp() + "/ping");
    return new ServiceSpec(NAME, command, Map.of(), Health.http(ping));
  }
}
