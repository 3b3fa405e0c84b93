package io.tocsin.embedded.clickhouse;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The store, on loopback. */
public final class ClickHouseService {

  /** Name in messages and of the log file. */
  public static final String NAME = "clickhouse";

  private ClickHouseService() {}

  /** How to run it with the engine {@code libchdb}. */
  public static ServiceSpec spec(Ports ports, StateFolder state, Path libchdb) {
    List<String> command =
        JavaProcess.command(
            ClickHouseMain.class,
            "64m",
            JavaProcess.quickStartFlags(),
            List.of(
                "--library=" + libchdb,
                "--path=" + state.of(NAME),
                "--http-port=" + ports.clickHouseHttp(),
                "--native-port=" + ports.clickHouseNative()));
    URI ping = URI.create("http://127.0.0.1:" + ports.clickHouseHttp() + "/ping");
    return new ServiceSpec(NAME, command, Map.of(), Health.http(ping));
  }
}
