package io.tocsin.embedded.alertmanager;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The pager: one Alertmanager without a cluster, on loopback. */
public final class AlertmanagerService {

  /** Name in messages and of the log file. */
  public static final String NAME = "alertmanager";

  private static final Ports COMMITTED = new Ports(0);

  private AlertmanagerService() {}

  /** Writes its configuration, with this stack's webhook, and says how to run it. */
  public static ServiceSpec spec(Ports ports, StateFolder state, Tools tools) {
    Path folder = state.of(NAME);
    Path config = folder.resolve("alertmanager.yml");
    try {
      Files.createDirectories(folder);
      Files.writeString(config, config(Files.readString(tools.alertmanagerConfig()), ports));
    } catch (IOException e) {
      throw new UncheckedIOException(config + " cannot be written: " + e.getMessage(), e);
    }
    String address = address(ports.alertmanager());
    Path program = tools.alertmanager();
    List<String> command =
        List.of(
            "env",
            // Debian's program looks for its templates in the working folder, see bin/tools.
            "--chdir=" + program.getParent(),
            program.toString(),
            "--config.file=" + config,
            "--storage.path=" + folder.resolve("data"),
            "--web.listen-address=" + address,
            "--cluster.listen-address=");
    return new ServiceSpec(
        NAME, command, Map.of(), Health.http(URI.create("http://" + address + "/-/ready")));
  }

  private static String address(int port) {
    return "127.0.0.1:" + port;
  }

  /** The committed routes with the webhooks of this stack. */
  static String config(String committed, Ports ports) {
    return committed
        .replace(address(COMMITTED.pageRecorder()), address(ports.pageRecorder()))
        .replace(address(COMMITTED.heartbeat()), address(ports.heartbeat()));
  }
}
