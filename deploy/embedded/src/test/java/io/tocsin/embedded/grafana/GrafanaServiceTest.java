package io.tocsin.embedded.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GrafanaServiceTest {
  private static final Path FOLDER = Path.of("..", "..", "grafana");
  private static final Pattern VARIABLE = Pattern.compile("\\$(TOCSIN_\\w+)");

  private final Map<String, String> environment =
      GrafanaService.environment(
          new Ports(0), "provisioning", FOLDER.resolve("dashboards").toString());

  @Test
  void everyVariableOfTheProvisionedFilesIsSet() throws IOException {
    // Grafana reads one that is not set as empty, and says nothing.
    for (String file :
        new String[] {
          "datasources/tocsin.yaml", "dashboards/tocsin.yaml", "alerting/pipeline.json"
        }) {
      String text = Files.readString(FOLDER.resolve("provisioning").resolve(file));
      Stream<String> named = VARIABLE.matcher(text).results().map((MatchResult m) -> m.group(1));
      assertThat(environment.keySet()).as(file).containsAll(named.toList());
    }
  }

  @Test
  void theHomePageIsADashboardThatExists() {
    assertThat(Path.of(environment.get("GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH")))
        .isRegularFile();
  }
}
