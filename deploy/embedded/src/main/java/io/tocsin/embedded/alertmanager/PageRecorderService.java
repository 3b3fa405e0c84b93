package io.tocsin.embedded.alertmanager;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import io.tocsin.pagerecorder.Main;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** What Alertmanager notifies: the page recorder, on loopback. */
public final class PageRecorderService {

  /** Name in messages and of the log file. */
  public static final String NAME = "page-recorder";

  private PageRecorderService() {}

  /** How to run it. */
  public static ServiceSpec spec(Ports ports) {
    String address = "127.0.0.1:" + ports.pageRecorder();
    List<String> command =
        JavaProcess.command(
            Main.class,
            "128m",
            JavaProcess.quickStartFlags(),
            List.of(
                "--listen=" + address,
                "--clickhouse-url=http://127.0.0.1:" + ports.clickHouseHttp()));
    return new ServiceSpec(
        NAME, command, Map.of(), Health.http(URI.create("http://" + address + "/health")));
  }
}
