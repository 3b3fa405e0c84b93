package io.tocsin.embedded.alertmanager;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Both sides of {@code tocsin heartbeat}: what sends beats, and what complains without them. */
public final class HeartbeatService {

  /** Name of the receiving side in messages and of its log file. */
  public static final String LISTENER = "heartbeat-listener";

  /** Name of the sending side in messages and of its log file. */
  public static final String SENDER = "heartbeat-sender";

  private HeartbeatService() {}

  /** How to run the receiver that Alertmanager tells beats to. */
  public static ServiceSpec listener(Ports ports, Path tocsin, Duration silentAfter) {
    String address = "127.0.0.1:" + ports.heartbeat();
    List<String> command =
        List.of(
            tocsin.toString(),
            "heartbeat",
            "listen",
            "--listen=" + address,
            "--silent-after=" + silentAfter.toSeconds());
    return new ServiceSpec(
        LISTENER, command, Map.of(), Health.http(URI.create("http://" + address + "/metrics")));
  }

  /** How to run the sender. */
  public static ServiceSpec sender(Ports ports, Path tocsin, Duration every) {
    List<String> command =
        List.of(
            tocsin.toString(),
            "heartbeat",
            "send",
            "--agent=127.0.0.1:" + ports.alertUpdates(),
            "--clickhouse=http://127.0.0.1:" + ports.clickHouseHttp(),
            "--every=" + every.toSeconds());
    // It listens nowhere: running is all that it can be asked for.
    return new ServiceSpec(SENDER, command, Map.of(), Optional::empty);
  }
}
