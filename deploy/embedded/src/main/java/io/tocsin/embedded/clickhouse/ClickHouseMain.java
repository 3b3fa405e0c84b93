package io.tocsin.embedded.clickhouse;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.StringArray;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * ClickHouse as a process: the engine in {@code libchdb.so}, told to open its own HTTP and native
 * listeners and then to run a query without end.
 *
 * <p>What it acknowledged is on disk, so SIGTERM may end it at once. The default user has no
 * password and may do everything: let it listen on loopback only, or inside a network of
 * containers.
 */
@Command(
    name = "clickhouse",
    sortOptions = false,
    description = "ClickHouse's engine behind its own listeners.")
public final class ClickHouseMain implements Callable<Integer> {

  /**
   * A query without end: the engine leaves when its query is done. Who runs it asks for its
   * progress ten times a second; nobody wants to know.
   */
  private static final String LISTEN_FOREVER =
      "SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(3) FROM system.numbers FORMAT Null"
          + " SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0,"
          + " interactive_delay = 3600000000";

  @Option(names = "--library", required = true, paramLabel = "FILE", description = "libchdb.so")
  private Path library;

  @Option(
      names = "--path",
      required = true,
      paramLabel = "DIR",
      description = "where the data is kept")
  private Path path;

  @Option(
      names = "--listen-host",
      defaultValue = "127.0.0.1",
      description = "default: ${DEFAULT-VALUE}")
  private String listenHost;

  @Option(names = "--http-port", defaultValue = "8123", description = "default: ${DEFAULT-VALUE}")
  private int httpPort;

  @Option(names = "--native-port", defaultValue = "9000", description = "default: ${DEFAULT-VALUE}")
  private int nativePort;

  @Option(
      names = "--config-file",
      paramLabel = "FILE",
      description =
          "ClickHouse's own configuration, for example one that names users; a user default without a password must"
              + " be among them (default: that user alone)")
  private Path configFile;

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  private boolean isHelpRequested;

  private ClickHouseMain() {}

  /** Runs until SIGTERM. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new ClickHouseMain()).execute(args));
  }

  @Override
  public Integer call() {
    // Without this the JVM would run the library's destructors under its running threads, which
    // crash or wait for ever; its halt does so too. No archive of classes is written either: of so
    // few it would save nothing.
    Function exitAtOnce = NativeLibrary.getProcess().getFunction("_exit");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> exitAtOnce.invokeVoid(new Object[] {0})));
    List<String> arguments = new ArrayList<>(List.of("clickhouse"));
    if (configFile != null) {
      arguments.add("--config-file=" + configFile);
    }
    arguments.addAll(
        List.of(
            "--listen_host=" + listenHost,
            "--http_port=" + httpPort,
            "--tcp_port=" + nativePort,
            "--path=" + path,
            "--query=" + LISTEN_FOREVER));
    LibChdb engine = Native.load(library.toString(), LibChdb.class);
    engine.chdb_query_cmdline(arguments.size(), new StringArray(arguments.toArray(String[]::new)));
    System.err.println("the engine has left its query: its own message stands above");
    return 1;
  }
}
