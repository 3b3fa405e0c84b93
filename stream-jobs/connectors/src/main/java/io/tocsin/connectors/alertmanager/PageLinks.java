package io.tocsin.connectors.alertmanager;

import java.io.Serializable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Where a page leads.
 *
 * @param grafanaUrl of the Grafana that has Tocsin's dashboards
 * @param runbooksUrl of the folder that holds the runbooks, as people reach it
 */
public record PageLinks(String grafanaUrl, String runbooksUrl) implements Serializable {
  /** What holds where nothing is configured: the embedded stack, and a folder of the checkout. */
  public static final PageLinks DEFAULT =
      new PageLinks("http://127.0.0.1:3000", "grafana/runbooks");

  /** Dashboard uid: the life of one alert. */
  private static final String DASHBOARD_PATH = "/d/tocsin-alert?var-fingerprint=";

  /** Links without slashes at their ends. */
  public PageLinks {
    grafanaUrl = grafanaUrl.replaceAll("/+$", "");
    runbooksUrl = runbooksUrl.replaceAll("/+$", "");
  }

  String dashboard(String fingerprint) {
    return grafanaUrl + DASHBOARD_PATH + URLEncoder.encode(fingerprint, StandardCharsets.UTF_8);
  }

  /** A URL as it is; a name as the Markdown file of it. */
  String runbook(String nameOrUrl) {
    return nameOrUrl.contains("://") ? nameOrUrl : runbooksUrl + "/" + nameOrUrl + ".md";
  }
}
