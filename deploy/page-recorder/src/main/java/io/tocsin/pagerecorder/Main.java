package io.tocsin.pagerecorder;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tocsin-page-recorder}: arguments, help and exit codes. */
@Command(
    name = "tocsin-page-recorder",
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeOnInvalidInput = 64,
    description = {
      "Writes each notification of Alertmanager to table tocsin.pages of ClickHouse.",
      "POST /pages takes them; GET /health answers 200 while ClickHouse does."
    },
    footer = {
      "",
      "Exit codes: 0 ended by SIGTERM, 1 cannot listen, 64 the command line is not usable."
    })
public final class Main implements Callable<Integer> {
  /** Seconds for which a request may be on its way; read by the JDK's HTTP server. */
  private static final String MAX_REQUEST_SECONDS = "10";

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:TOCSIN_PAGE_RECORDER:-127.0.0.1:9095}",
      description =
          "where Alertmanager finds it (default: TOCSIN_PAGE_RECORDER, else 127.0.0.1:9095)")
  private String listen;

  @Option(
      names = "--clickhouse-url",
      paramLabel = "URL",
      defaultValue = "${env:TOCSIN_CLICKHOUSE:-http://127.0.0.1:8123}",
      description =
          "ClickHouse's HTTP interface (default: TOCSIN_CLICKHOUSE, else http://127.0.0.1:8123)")
  private String clickHouseUrl;

  @Option(
      names = "--clickhouse-user",
      paramLabel = "NAME",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_USER:-default}",
      description = "who inserts into tocsin.pages (default: TOCSIN_CLICKHOUSE_USER, else default)")
  private String clickHouseUser;

  @Option(
      names = "--clickhouse-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_PASSWORD_FILE}",
      description =
          "file whose first line is the password (default: TOCSIN_CLICKHOUSE_PASSWORD_FILE, else no password)")
  private Path clickHousePasswordFile;

  @Option(
      names = "--clickhouse-ca",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_CA}",
      description =
          "PEM file with the authorities to believe, for https:// (default: TOCSIN_CLICKHOUSE_CA, else Java's own)")
  private Path clickHouseCa;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "print this and exit")
  private boolean isHelpRequested;

  @Spec private CommandSpec spec;

  private Main() {}

  /** Runs until SIGTERM. */
  public static void main(String[] args) {
    System.setProperty("sun.net.httpserver.maxReqTime", MAX_REQUEST_SECONDS);
    System.setProperty("sun.net.httpserver.maxRspTime", MAX_REQUEST_SECONDS);
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new Main()).execute(args);
  }

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress address = address();
    checkPassword();
    ClickHouse clickHouse = new ClickHouse(checkedUrl(), clickHouseUser, this::password, tls());
    try (PageRecorder recorder = new PageRecorder(address, clickHouse, System.out::println)) {
      Runtime.getRuntime().addShutdownHook(new Thread(recorder::close));
      System.out.println("recording pages on http://" + listen + "/pages to " + clickHouseUrl);
      new CountDownLatch(1).await();
      return 0;
    } catch (IOException e) {
      spec.commandLine()
          .getErr()
          .println("error: --listen " + listen + " cannot be listened on: " + e.getMessage());
      return 1;
    }
  }

  private InetSocketAddress address() {
    try {
      // The authority of a URL: brackets around IPv6, one port.
      URI uri = URI.create("http://" + listen);
      if (uri.getHost() != null && uri.getPort() >= 0 && uri.getPath().isEmpty()) {
        String host = uri.getHost().replaceAll("^\\[|]$", "");
        InetSocketAddress address = new InetSocketAddress(host, uri.getPort());
        if (!address.isUnresolved()) {
          return address;
        }
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw unusable("--listen is '" + listen + "': give HOST:PORT, for example 0.0.0.0:9095");
  }

  private String checkedUrl() {
    if (!clickHouseUrl.matches("https?://[^/?#\\s]+")) {
      throw unusable(
          "--clickhouse-url is '"
              + clickHouseUrl
              + "': give http://HOST:PORT or https://HOST:PORT");
    }
    return clickHouseUrl;
  }

  private void checkPassword() {
    try {
      password();
    } catch (IOException e) {
      throw unusable(e.getMessage());
    }
  }

  private String password() throws IOException {
    if (clickHousePasswordFile == null) {
      return "";
    }
    try (var lines = Files.lines(clickHousePasswordFile)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new IOException(
          "--clickhouse-password-file " + clickHousePasswordFile + " cannot be read: " + e, e);
    }
  }

  private SSLContext tls() {
    try {
      return clickHouseCa == null ? SSLContext.getDefault() : Authorities.of(clickHouseCa);
    } catch (IOException | NoSuchAlgorithmException e) {
      throw unusable("--clickhouse-ca " + clickHouseCa + " cannot be used: " + e.getMessage());
    }
  }

  private ParameterException unusable(String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }
}
