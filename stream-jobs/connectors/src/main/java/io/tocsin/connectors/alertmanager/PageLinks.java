package io.tocsin.connectors.alertmanager;

import java.io.Serializable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Where a page leads.
 *
 * @param grafanaUrl of the Grafana that has Tocsin's dashboards
 * @param runbooksUrl of a folder that holds the runbooks as Markdown, as people reach it; empty:
 *     they read the pages of Grafana
 */
public record PageLinks(String grafanaUrl, String runbooksUrl) implements Serializable {
  /** What holds where nothing is configured: the embedded stack. */
  public static final PageLinks DEFAULT = new PageLinks("http://127.0.0.1:3000", "");

  /** Dashboard uid: the life of one alert. */
  private static final String DASHBOARD_PATH = "/d/tocsin-alert?var-fingerprint=";

  /** Dashboard uid, without the runbook's name. */
  private static final String RUNBOOK_PATH = "/d/tocsin-runbook-";

  /** Links without slashes at their ends. */
  public PageLinks {
    grafanaUrl = grafanaUrl.replaceAll("/+$", "");
    runbooksUrl = runbooksUrl.replaceAll("/+$", "");
  }

  String dashboard(String fingerprint) {
    return grafanaUrl + DASHBOARD_PATH + URLEncoder.encode(fingerprint, StandardCharsets.UTF_8);
  }

  /** A URL as it is; a name as its page in Grafana, or as the Markdown file of it. */
  String runbook(String nameOrUrl) {
    if (nameOrUrl.contains("://")) {
      return nameOrUrl;
    }
    return runbooksUrl.isEmpty()
        ? grafanaUrl + RUNBOOK_PATH + nameOrUrl
        : runbooksUrl + "/" + nameOrUrl + ".md";
  }
}
