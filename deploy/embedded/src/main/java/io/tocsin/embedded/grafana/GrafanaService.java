package io.tocsin.embedded.grafana;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Grafana with the provisioned data source and dashboards, where the machine has a {@code grafana}
 * binary or Docker. No package registry has it, so it is the one part that the stack cannot bring
 * itself.
 */
public final class GrafanaService {

  /** Name in messages and of the log file. */
  public static final String NAME = "grafana";

  /** What to tell where it cannot be started. */
  public static final String HOW_TO_GET_IT =
      "no Grafana: install it (https://grafana.com/docs/grafana/latest/setup-grafana/installation/) or Docker, then make up GRAFANA=1";

  private static final String IMAGE = "grafana/grafana:12.4.0";
  private static final String PLUGIN = "grafana-clickhouse-datasource";
  private static final String PROVISIONING_IN_IMAGE = "/etc/tocsin/grafana/provisioning";
  private static final String DASHBOARDS_IN_IMAGE = "/etc/tocsin/grafana/dashboards";

  private GrafanaService() {}

  /** How to run it here, if that is possible. */
  public static Optional<ServiceSpec> spec(Ports ports, StateFolder state, Tools tools) {
    Path folder = state.of(NAME);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(folder + " cannot be made: " + e.getMessage(), e);
    }
    Optional<Path> binary = Tools.onPath("grafana").or(GrafanaService::installedBinary);
    if (binary.isPresent()) {
      return Optional.of(binarySpec(ports, folder, tools, binary.get()));
    }
    return Tools.onPath("docker")
        .filter(GrafanaService::answers)
        .map(docker -> dockerSpec(ports, tools, docker));
  }

  private static Optional<Path> installedBinary() {
    Path binary = Path.of("/usr/share/grafana/bin/grafana");
    return Files.isExecutable(binary) ? Optional.of(binary) : Optional.empty();
  }

  private static ServiceSpec binarySpec(Ports ports, Path folder, Tools tools, Path binary) {
    Map<String, String> environment =
        environment(
            ports,
            tools.grafana().resolve("provisioning").toString(),
            tools.grafana().resolve("dashboards").toString());
    environment.put("GF_PATHS_DATA", folder.resolve("data").toString());
    environment.put("GF_PATHS_LOGS", folder.resolve("logs").toString());
    environment.put("GF_PATHS_PLUGINS", folder.resolve("plugins").toString());
    List<String> command = List.of(binary.toString(), "server", "--homepath=" + homePath(binary));
    return spec(ports, command, environment);
  }

  /** Debian's package has its files apart from the binary; the archive has the binary in them. */
  private static Path homePath(Path binary) {
    try {
      Path beside = binary.toRealPath().getParent().getParent();
      return Stream.of(beside, Path.of("/usr/share/grafana"))
          .filter(folder -> Files.isDirectory(folder.resolve("public")))
          .findFirst()
          .orElse(beside);
    } catch (IOException e) {
      throw new UncheckedIOException(binary + " cannot be resolved: " + e.getMessage(), e);
    }
  }

  /**
   * Host network: the container asks ClickHouse on loopback, and the page is on this stack's port.
   */
  private static ServiceSpec dockerSpec(Ports ports, Tools tools, Path docker) {
    Map<String, String> environment =
        environment(ports, PROVISIONING_IN_IMAGE, DASHBOARDS_IN_IMAGE);
    // The client passes SIGTERM on. A supervisor that was killed leaves a container that the next
    // start removes.
    String name = "tocsin-grafana-" + ports.offset();
    List<String> run =
        new ArrayList<>(
            List.of(docker.toString(), "run", "--rm", "--name", name, "--network", "host"));
    run.addAll(
        List.of(
            "--volume",
            tools.grafana().resolve("provisioning") + ":" + PROVISIONING_IN_IMAGE + ":ro"));
    run.addAll(
        List.of(
            "--volume", tools.grafana().resolve("dashboards") + ":" + DASHBOARDS_IN_IMAGE + ":ro"));
    environment.forEach((key, value) -> run.addAll(List.of("--env", key + "=" + value)));
    run.add(System.getenv().getOrDefault("GRAFANA_IMAGE", IMAGE));
    List<String> command =
        new ArrayList<>(
            List.of("sh", "-c", "\"$0\" rm --force " + name + " >/dev/null 2>&1; exec \"$@\""));
    command.add(docker.toString());
    command.addAll(run);
    return spec(ports, command, Map.of());
  }

  private static ServiceSpec spec(
      Ports ports, List<String> command, Map<String, String> environment) {
    URI health = URI.create("http://127.0.0.1:" + ports.grafana() + "/api/health");
    // The first start downloads the data source's plugin, with Docker the image too.
    return new ServiceSpec(
        NAME,
        command,
        environment,
        Health.http(health),
        Duration.ofMinutes(5),
        Duration.ofSeconds(10));
  }

  /**
   * Grafana's settings, the same for both ways; anonymous people may look, as befits a page on
   * loopback.
   */
  static Map<String, String> environment(Ports ports, String provisioning, String dashboards) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("GF_SERVER_HTTP_ADDR", "127.0.0.1");
    environment.put("GF_SERVER_HTTP_PORT", Integer.toString(ports.grafana()));
    environment.put("GF_PATHS_PROVISIONING", provisioning);
    environment.put(
        "GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH", dashboards + "/network/what-is-down.json");
    environment.put("GF_PLUGINS_PREINSTALL_SYNC", PLUGIN);
    environment.put("GF_AUTH_ANONYMOUS_ENABLED", "true");
    environment.put("GF_AUTH_ANONYMOUS_ORG_ROLE", "Viewer");
    environment.put("GF_ANALYTICS_REPORTING_ENABLED", "false");
    environment.put("GF_ANALYTICS_CHECK_FOR_UPDATES", "false");
    environment.put("TOCSIN_CLICKHOUSE_HOST", "127.0.0.1");
    environment.put("TOCSIN_CLICKHOUSE_HTTP_PORT", Integer.toString(ports.clickHouseHttp()));
    environment.put("TOCSIN_CLICKHOUSE_USER", "default");
    environment.put("TOCSIN_CLICKHOUSE_PASSWORD", "");
    environment.put("TOCSIN_ALERTMANAGER_URL", "http://127.0.0.1:" + ports.alertmanager());
    environment.put("TOCSIN_DASHBOARDS_PATH", dashboards);
    return environment;
  }

  private static boolean answers(Path docker) {
    try {
      return new ProcessBuilder(docker.toString(), "version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
