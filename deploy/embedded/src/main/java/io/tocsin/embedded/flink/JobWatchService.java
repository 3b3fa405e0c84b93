package io.tocsin.embedded.flink;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code tocsin watch-jobs}: asks Flink whether the jobs run, and tells Alertmanager itself where
 * one does not.
 */
public final class JobWatchService {

  /** Name in messages and of the log file. */
  public static final String NAME = "job-watch";

  private JobWatchService() {}

  /** How to run it. */
  public static ServiceSpec spec(Ports ports, Path tocsin) {
    List<String> command =
        List.of(
            tocsin.toString(),
            "watch-jobs",
            "--flink=http://127.0.0.1:" + ports.flink(),
            "--alertmanager=http://127.0.0.1:" + ports.alertmanager(),
            "--jobs=" + String.join(",", FlinkMain.jobNames()),
            // On one machine a job is back within seconds.
            "--down-after=20",
            "--up-after=10");
    // It waits for nothing and listens nowhere: running is all that it can be asked for.
    return new ServiceSpec(NAME, command, Map.of(), Optional::empty);
  }
}
