package io.tocsin.embedded.alertmanager;

import io.tocsin.embedded.clickhouse.ClickHouseClient;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The page recorder as a process of its own, beside an Alertmanager that does not run in the
 * embedded stack.
 */
@Command(
    name = "page-recorder",
    sortOptions = false,
    description = "Writes Alertmanager's notifications to tocsin.pages.")
public final class PageRecorderMain implements Callable<Integer> {

  @Option(
      names = "--port",
      defaultValue = "9095",
      description = "on loopback (default: ${DEFAULT-VALUE})")
  private int port;

  @Option(
      names = "--clickhouse-url",
      defaultValue = "http://127.0.0.1:8123",
      description = "default: ${DEFAULT-VALUE}")
  private String clickHouseUrl;

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  private boolean isHelpRequested;

  private PageRecorderMain() {}

  /** Runs until SIGTERM. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new PageRecorderMain()).execute(args));
  }

  @Override
  public Integer call() throws InterruptedException {
    try (PageRecorder recorder =
        new PageRecorder(port, new ClickHouseClient(clickHouseUrl), System.out::println)) {
      System.out.println("recording pages on " + recorder.url());
      new CountDownLatch(1).await();
    }
    return 0;
  }
}
