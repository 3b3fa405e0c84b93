package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One call of {@code tocsin send}: an events file, or generated traffic.
 *
 * @param file events file, relative to the scenario's folder; excludes {@code generate}
 * @param generate listener to make up traffic for: syslog-udp, syslog-tcp or alert-udp
 * @param count generated messages
 * @param size bytes of each generated message
 * @param sources device names in the generated messages
 * @param seed makes generated traffic reproducible
 * @param rate messages a second; without it a file is played at its own times
 * @param fullSpeed as fast as the kernel takes them
 */
public record Traffic(
    String file,
    String generate,
    Long count,
    Integer size,
    Integer sources,
    Long seed,
    Double rate,
    @JsonProperty("full_speed") Boolean fullSpeed) {

  /** The same with the events file found in the scenario's folder. */
  Traffic in(Path folder) {
    if ((file == null) == (generate == null)) {
      throw new ScenarioException(folder + ": an entry of send has either file or generate");
    }
    if (file == null) {
      return this;
    }
    Path path = folder.resolve(file);
    if (!Files.isRegularFile(path)) {
      throw new ScenarioException(folder + ": send names " + file + ", which is not there");
    }
    return new Traffic(path.toString(), generate, count, size, sources, seed, rate, fullSpeed);
  }

  /** What is sent, in a few words. */
  public String summary() {
    return file != null
        ? Path.of(file).getFileName().toString()
        : count + " generated messages for " + generate;
  }

  /** Arguments of {@code tocsin send}. */
  public List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (file != null) {
      arguments.add(file);
    }
    option(arguments, "--generate", generate);
    option(arguments, "--count", count);
    option(arguments, "--size", size);
    option(arguments, "--sources", sources);
    option(arguments, "--seed", seed);
    option(arguments, "--rate", rate);
    if (Boolean.TRUE.equals(fullSpeed)) {
      arguments.add("--full-speed");
    }
    return arguments;
  }

  private static void option(List<String> arguments, String name, Object value) {
    if (value != null) {
      arguments.add(name);
      arguments.add(value.toString());
    }
  }
}
