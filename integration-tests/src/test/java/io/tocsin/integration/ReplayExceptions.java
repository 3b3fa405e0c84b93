package io.tocsin.integration;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Alerts of which it is known that a replay cannot tell them as they were told, and why. */
final class ReplayExceptions {
  static final Path FILE = Path.of("integration-tests", "replay-exceptions.yaml");

  private final List<Listed> unused;
  private final List<Listed> listed;

  /**
   * A line of the file.
   *
   * @param from where the history came: clickhouse or kafka
   * @param source of the alerts
   * @param device of the alerts
   * @param check of the alerts
   * @param reason why it cannot be known from what is stored
   */
  record Listed(
      @JsonProperty(required = true) String from,
      @JsonProperty(required = true) String source,
      @JsonProperty(required = true) String device,
      @JsonProperty(required = true) String check,
      @JsonProperty(required = true) String reason) {
    private boolean isOf(String name) {
      return name.startsWith(String.join(" ", source, device, check) + " ");
    }
  }

  private ReplayExceptions(List<Listed> listed) {
    this.listed = listed;
    unused = new ArrayList<>(listed);
  }

  /** Those of one history. */
  static ReplayExceptions of(String from) {
    Path file = TestStacks.tools().repository().resolve(FILE);
    try {
      return new ReplayExceptions(
          Stream.of(new YAMLMapper().readValue(file.toFile(), Listed[].class))
              .filter(each -> each.from().equals(from))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Differences of alerts that are not listed. */
  Map<String, String> unexplained(Map<String, String> differences) {
    Map<String, String> unexplained = new TreeMap<>();
    differences.forEach(
        (name, difference) -> {
          if (listed.stream().noneMatch(each -> each.isOf(name))) {
            unexplained.put(name, difference);
          }
          unused.removeIf(each -> each.isOf(name));
        });
    return unexplained;
  }

  /** What is listed and did not occur. */
  List<Listed> unused() {
    return unused;
  }
}
