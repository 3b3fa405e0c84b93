package io.tocsin.jobs.wan;

import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.jobs.JobOptions;
import picocli.CommandLine.Option;

/** What the WAN job can be told on the command line. */
public final class WanOptions extends JobOptions {
  @Option(
      names = "--wan-hour-of-week",
      description = {
        "what is usual on a link at this hour of the week (UTC) is no latency and no jitter; known",
        "after two weeks (default: off)"
      })
  private boolean hourOfWeek;

  /** With the defaults of the command line. */
  public WanOptions() {
    super(RARE_CHECKPOINTS_SECONDS);
  }

  @Override
  protected void check() {
    // Nothing that could be wrong.
  }

  /** What the rules are told. */
  public WanSettings settings() {
    WanSettings settings = WanSettings.defaults();
    return hourOfWeek ? settings.byHourOfWeek() : settings;
  }
}
