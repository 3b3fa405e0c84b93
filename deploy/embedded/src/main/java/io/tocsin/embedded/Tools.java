package io.tocsin.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The programs and files that the stack is made of, as {@code make build} leaves them.
 *
 * @param repository root of the checkout
 */
public record Tools(Path repository) {

  /** Environment variable that names the checkout where the working folder is not inside it. */
  public static final String HOME_VARIABLE = "TOCSIN_HOME";

  /**
   * Finds the checkout: {@code TOCSIN_HOME}, else the working folder or the nearest one above it
   * that holds {@code schemas/topics}.
   *
   * @throws IllegalStateException where there is none
   */
  public static Tools find() {
    String home = System.getenv(HOME_VARIABLE);
    if (home != null && !home.isEmpty()) {
      return new Tools(Path.of(home).toAbsolutePath());
    }
    for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
      if (Files.isDirectory(folder.resolve("schemas/topics"))) {
        return new Tools(folder);
      }
    }
    throw new IllegalStateException(
        "no checkout of Tocsin at or above "
            + Path.of("").toAbsolutePath()
            + ": set "
            + HOME_VARIABLE);
  }

  /** The {@code tocsin} binary. */
  public Path tocsin() {
    return required(repository.resolve("ingest/target/release/tocsin"));
  }

  /** The jobs, for a Flink cluster. */
  public Path jobs() {
    return required(repository.resolve("stream-jobs/jobs/target/tocsin-jobs.jar"));
  }

  /** Kafka topics and ClickHouse tables. */
  public Path schemas() {
    return required(repository.resolve("schemas"));
  }

  /** The rules that every start pushes. */
  public Path rules() {
    return required(repository.resolve("deploy/rules"));
  }

  /** The scenario folders. */
  public Path scenarios() {
    return required(repository.resolve("integration-tests/scenarios"));
  }

  /** Grafana's provisioning and dashboards. */
  public Path grafana() {
    return required(repository.resolve("grafana"));
  }

  /** Alertmanager's routes. */
  public Path alertmanagerConfig() {
    return required(repository.resolve("deploy/alertmanager/alertmanager.yml"));
  }

  /** ClickHouse as a library. */
  public Path libchdb() {
    Path modules = folder().resolve("libchdb/node_modules/@chdb");
    try (Stream<Path> packages =
        Files.isDirectory(modules) ? Files.list(modules) : Stream.empty()) {
      return packages
          .map(folder -> folder.resolve("libchdb.so"))
          .filter(Files::isRegularFile)
          .findFirst()
          .orElseThrow(() -> missing(modules.resolve("*/libchdb.so")));
    } catch (IOException e) {
      throw new UncheckedIOException(modules + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Alertmanager's binary. */
  public Path alertmanager() {
    return required(folder().resolve("alertmanager/alertmanager"));
  }

  /** First of these programs that PATH has. */
  public static Optional<Path> onPath(String... programs) {
    List<String> folders = List.of(System.getenv("PATH").split(File.pathSeparator));
    return Stream.of(programs)
        .flatMap(program -> folders.stream().map(folder -> Path.of(folder, program)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private Path folder() {
    return repository.resolve(".tocsin/tools");
  }

  private static Path required(Path path) {
    if (!Files.exists(path)) {
      throw missing(path);
    }
    return path;
  }

  private static IllegalStateException missing(Path path) {
    return new IllegalStateException(path + " is missing: run 'make build' first");
  }
}
