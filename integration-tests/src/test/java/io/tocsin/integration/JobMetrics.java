package io.tocsin.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics that the jobs count themselves: those that are exposed, and those that are listed.
 */
final class JobMetrics {
  /** Ours are in lower case with underscores, Flink's and Kafka's in camel case. */
  private static final Pattern EXPOSED =
      Pattern.compile(
          "^# TYPE flink_taskmanager_job_task_operator_(?:deserializer_)?(?:agent_)?([a-z]+(?:_[a-z]+)+) ",
          Pattern.MULTILINE);

  /** Has a label with what a stranger says, and is not there before somebody has said it. */
  static final String FROM_FIRST_EVENT = "set_back_events_total";

  private static final Pattern LISTED =
      Pattern.compile(
          "^\\| `([a-z_]+)` \\| (?:counter|gauge|histogram) \\| [^|]+ \\| [^|]+ \\|$",
          Pattern.MULTILINE);

  private JobMetrics() {}

  /** In what Flink's Prometheus reporter answers. */
  static Set<String> exposed(String answer) {
    return names(EXPOSED, answer);
  }

  /** In the table of the jobs' README. */
  static Set<String> listed(Path repository) throws IOException {
    return names(LISTED, Files.readString(repository.resolve("stream-jobs/README.md")));
  }

  private static Set<String> names(Pattern pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }
}
