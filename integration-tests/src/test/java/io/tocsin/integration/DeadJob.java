package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.flink.FlinkService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A job of a stack that was cancelled and cannot be started again: none of its checkpoints can be
 * read until it is repaired.
 */
final class DeadJob {
  private static final String METADATA = "_metadata";
  private static final String KEPT = "kept";

  private final Stack stack;
  private final String name;

  private DeadJob(Stack stack, String name) {
    this.stack = stack;
    this.name = name;
  }

  /** Kills a job, by the name of the folder of its checkpoints. Returns when it stays dead. */
  static DeadJob kill(Stack stack, String name, Duration deadline) {
    DeadJob job = new DeadJob(stack, name);
    await("a checkpoint of " + name)
        .atMost(deadline)
        .ignoreExceptionsMatching(DeadJob::isRace)
        .until(() -> !job.checkpoints().isEmpty());
    // It may come back before its checkpoints are damaged; the pause before that grows.
    await("the death of " + name)
        .atMost(deadline)
        .ignoreExceptionsMatching(DeadJob::isRace)
        .until(
            () -> {
              job.cancel();
              return job.damage() == 0 && job.runs().isEmpty();
            });
    return job;
  }

  /** The running job may delete an old checkpoint that is just looked at. */
  private static boolean isRace(Throwable e) {
    Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
    return cause instanceof NoSuchFileException;
  }

  /** Makes its checkpoints readable again, the newest first: from there it starts. */
  void repair() throws IOException {
    for (Path metadata : checkpoints()) {
      Files.move(
          metadata.resolveSibling(KEPT),
          metadata,
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** How many could be read before. */
  private int damage() throws IOException {
    int damaged = 0;
    for (Path metadata : checkpoints()) {
      Path kept = metadata.resolveSibling(KEPT);
      if (!Files.exists(kept)) {
        Files.copy(metadata, kept);
        Files.writeString(metadata, "damaged");
        damaged++;
      }
    }
    return damaged;
  }

  /** The metadata of its checkpoints, the newest first. */
  private List<Path> checkpoints() throws IOException {
    Path folder = stack.state().of(FlinkService.NAME).resolve("checkpoints").resolve(name);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths
          .filter(path -> path.endsWith(METADATA))
          .sorted(Comparator.comparingLong(DeadJob::number).reversed())
          .toList();
    }
  }

  private static long number(Path metadata) {
    return Long.parseLong(metadata.getParent().getFileName().toString().replace("chk-", ""));
  }

  private void cancel() throws IOException, InterruptedException {
    for (String id : runs()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(flink() + "/jobs/" + id + "?mode=cancel"))
              .method("PATCH", BodyPublishers.noBody())
              .build();
      HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
    }
  }

  /** Ids of its runs that have not ended. */
  private List<String> runs() throws IOException, InterruptedException {
    List<String> ids = new ArrayList<>();
    for (JsonNode job : Http.json(URI.create(flink() + "/jobs/overview")).path("jobs")) {
      boolean hasEnded = List.of("CANCELED", "FAILED").contains(job.path("state").asText());
      if (job.path("name").asText().equals("tocsin-" + name) && !hasEnded) {
        ids.add(job.path("jid").asText());
      }
    }
    return ids;
  }

  private String flink() {
    return "http://127.0.0.1:" + stack.ports().flink();
  }
}
