package io.tocsin.embedded.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A behaviour as data: what is sent, and what must then be found, or must not. The folder's name is
 * the scenario's name; unknown keys are refused.
 *
 * @param name of its folder
 * @param story the field story that it plays
 * @param title one sentence
 * @param agent changes to the agent's configuration, an object; empty where the default is meant
 * @param send what to do, in this order
 * @param expect what must hold within {@code withinSeconds}
 * @param never what must not have happened when all of {@code expect} holds: its rows must be equal
 *     too
 * @param withinSeconds from the end of sending
 */
public record Scenario(
    String name,
    String story,
    String title,
    JsonNode agent,
    List<Step> send,
    List<Expectation> expect,
    List<Expectation> never,
    int withinSeconds) {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final int DEFAULT_WITHIN_SECONDS = 30;

  /** The keys of scenario.yaml. */
  private record File(
      @JsonProperty(required = true) String story,
      @JsonProperty(required = true) String title,
      JsonNode agent,
      @JsonProperty(required = true) List<Step> send,
      @JsonProperty(required = true) List<Expectation> expect,
      List<Expectation> never,
      @JsonProperty("within_seconds") Integer withinSeconds) {}

  /**
   * Reads a scenario folder.
   *
   * @throws ScenarioException naming the file and what is wrong in it
   */
  public static Scenario read(Path folder) {
    Path path = folder.resolve("scenario.yaml");
    try {
      File file = YAML.readValue(path.toFile(), File.class);
      if (file.send().isEmpty() || file.expect().isEmpty()) {
        throw new ScenarioException(path + ": send and expect need at least one entry each");
      }
      return new Scenario(
          folder.getFileName().toString(),
          file.story(),
          file.title(),
          file.agent() == null ? JsonNodeFactory.instance.objectNode() : file.agent(),
          file.send().stream().map(step -> step.in(folder)).toList(),
          file.expect(),
          file.never() == null ? List.of() : file.never(),
          file.withinSeconds() == null ? DEFAULT_WITHIN_SECONDS : file.withinSeconds());
    } catch (IOException e) {
      throw new ScenarioException(path + ": " + e.getMessage());
    }
  }

  /** The same with other {@code withinSeconds}. */
  public Scenario within(int seconds) {
    return new Scenario(name, story, title, agent, send, expect, never, seconds);
  }

  /** Names of all scenarios in a folder, in order. */
  public static List<String> names(Path scenarios) {
    try (Stream<Path> folders = Files.list(scenarios)) {
      return folders
          .filter(folder -> Files.exists(folder.resolve("scenario.yaml")))
          .map(folder -> folder.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the scenarios in " + scenarios + " cannot be listed: " + e.getMessage(), e);
    }
  }
}
