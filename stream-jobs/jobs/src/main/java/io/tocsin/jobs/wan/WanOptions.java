package io.tocsin.jobs.wan;

import io.tocsin.correlation.wan.WanSettings;
import picocli.CommandLine.Option;

/** What the WAN job can be told on the command line; a part of {@code JobOptions}. */
public final class WanOptions {
  @Option(
      names = "--wan-hour-of-week",
      description = {
        "what is usual on a link at this hour of the week (UTC) is no latency and no jitter; known",
        "after two weeks (default: off)"
      })
  private boolean hourOfWeek;

  /** With the defaults of the command line, once picocli has read one. */
  public WanOptions() {}

  /** What the rules are told. */
  public WanSettings settings() {
    WanSettings settings = WanSettings.defaults();
    return hourOfWeek ? settings.byHourOfWeek() : settings;
  }
}
