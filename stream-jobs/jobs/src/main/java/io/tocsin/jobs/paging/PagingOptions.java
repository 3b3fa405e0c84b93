package io.tocsin.jobs.paging;

import io.tocsin.connectors.alertmanager.PageLinks;
import io.tocsin.jobs.JobOptions;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** What the paging job can be told on the command line. */
public final class PagingOptions extends JobOptions {
  @Option(
      names = "--alertmanager-urls",
      paramLabel = "URL,..",
      split = ",",
      defaultValue = "http://127.0.0.1:9093",
      description =
          "every Alertmanager of the cluster, not a load balancer before it (default: ${DEFAULT-VALUE})")
  private List<String> alertmanagerUrls;

  @Option(
      names = "--resend-interval-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = {
        "how often an open alert is told to Alertmanager again; it expires there after four",
        "intervals of silence (default: ${DEFAULT-VALUE})"
      })
  private long resendIntervalSeconds;

  @Option(
      names = "--grafana-url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:3000",
      description =
          "Grafana as people on call reach it: pages link to it (default: ${DEFAULT-VALUE})")
  private String grafanaUrl;

  @Option(
      names = "--runbooks-url",
      paramLabel = "URL",
      defaultValue = "",
      description =
          "folder of the runbooks as people on call reach it (default: their pages in Grafana)")
  private String runbooksUrl;

  @Override
  protected void check() {
    alertmanagerUrls.forEach(url -> requireHttpUrl("--alertmanager-urls", url));
    requireAtLeast("--resend-interval-seconds", resendIntervalSeconds, 1);
    requireHttpUrl("--grafana-url", grafanaUrl);
  }

  /** URLs of all Alertmanagers. */
  public List<String> alertmanagerUrls() {
    return alertmanagerUrls;
  }

  /** Time between two posts of an open alert. */
  public Duration resendInterval() {
    return Duration.ofSeconds(resendIntervalSeconds);
  }

  /** Where a page leads. */
  public PageLinks pageLinks() {
    return new PageLinks(grafanaUrl, runbooksUrl);
  }
}
