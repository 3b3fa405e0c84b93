package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * One step of playing a scenario: a call of {@code tocsin send} with an events file or generated
 * traffic, or a call of {@code tocsin-rules push}, or what a person says of an alert, or a
 * condition to wait for.
 *
 * @param file events file, relative to the scenario's folder
 * @param generate listener to make up traffic for: syslog-udp, syslog-tcp or alert-udp
 * @param rules folder of documents to put in force, relative to the scenario's folder
 * @param says arguments of {@code tocsin}: {@code ack}, {@code unack} or {@code note} and theirs
 * @param until alone: the next step waits until this holds. Beside {@code file}: the file is sent
 *     every second until this holds
 * @param count generated messages
 * @param size bytes of each generated message
 * @param sources device names in the generated messages
 * @param seed makes generated traffic reproducible
 * @param rate messages a second; without it a file is played at its own times
 * @param fullSpeed as fast as the kernel takes them
 */
public record Step(
    String file,
    String generate,
    String rules,
    List<String> says,
    Expectation until,
    Long count,
    Integer size,
    Integer sources,
    Long seed,
    Double rate,
    @JsonProperty("full_speed") Boolean fullSpeed) {

  /** The same with the events file or the rules found in the scenario's folder. */
  Step in(Path folder) {
    long kinds = Stream.of(file, generate, rules, says).filter(Objects::nonNull).count();
    boolean isWait = kinds == 0 && until != null;
    if (kinds != 1 && !isWait) {
      throw new ScenarioException(
          folder + ": an entry of send has one of file, generate, rules, says, until");
    }
    if (until != null && !isWait && file == null) {
      throw new ScenarioException(folder + ": until stands alone or beside file");
    }
    return new Step(
        found(folder, file),
        generate,
        found(folder, rules),
        says,
        until,
        count,
        size,
        sources,
        seed,
        rate,
        fullSpeed);
  }

  private static String found(Path folder, String name) {
    if (name == null) {
      return null;
    }
    Path path = folder.resolve(name);
    if (!Files.exists(path)) {
      throw new ScenarioException(folder + ": send names " + name + ", which is not there");
    }
    return path.toString();
  }

  /** Whether this step sends something. */
  boolean isTraffic() {
    return file != null || generate != null;
  }

  /** What is done, in a few words. */
  public String summary() {
    if (file != null) {
      return "sending " + Path.of(file).getFileName();
    }
    if (generate != null) {
      return "sending " + count + " generated messages for " + generate;
    }
    if (says != null) {
      return "saying tocsin " + String.join(" ", says);
    }
    return rules != null
        ? "pushing " + Path.of(rules).getFileName()
        : "waiting until " + until.name();
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
