package io.tocsin.jobs.alerts;

import io.tocsin.jobs.JobOptions;
import io.tocsin.rules.replay.AlertPath;
import io.tocsin.rules.replay.AlertPathOptions;
import picocli.CommandLine.Mixin;

/** What the alerts job can be told on the command line. */
public final class AlertsOptions extends JobOptions {
  @Mixin private AlertPathOptions path;

  @Override
  protected void check() {
    path.settings();
  }

  /** What was said of the life of alerts. */
  public AlertPath.Settings settings() {
    return path.settings();
  }
}
