package io.tocsin.rules.command;

import io.tocsin.rules.history.ClickHouseHistory;
import io.tocsin.rules.history.EventList;
import io.tocsin.rules.history.History;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine.Option;

/** Where past events come from. */
final class HistoryOptions {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  @Option(
      names = "--source",
      paramLabel = "clickhouse|kafka|file",
      defaultValue = "clickhouse",
      description =
          "where events come from: what the archive stored, what the topics still hold, or --events (default:"
              + " ${DEFAULT-VALUE})")
  private Source source;

  @Option(
      names = "--events",
      paramLabel = "FILE",
      description =
          "events in protobuf's JSON form, one a line, as `tocsin parse` prints them; - for standard input")
  private Path events;

  @Option(
      names = "--clickhouse",
      paramLabel = "URL",
      defaultValue = "${env:TOCSIN_CLICKHOUSE:-http://127.0.0.1:8123}",
      description =
          "HTTP interface of ClickHouse (default: TOCSIN_CLICKHOUSE, else http://127.0.0.1:8123)")
  private URI clickHouse;

  @Option(
      names = "--clickhouse-user",
      paramLabel = "NAME",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_USER:-default}",
      description =
          "who asks; who may read is enough (default: TOCSIN_CLICKHOUSE_USER, else default)")
  private String user;

  @Option(
      names = "--clickhouse-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_PASSWORD_FILE}",
      description = "its first line is the password (default: TOCSIN_CLICKHOUSE_PASSWORD_FILE)")
  private Path passwordFile;

  @Option(
      names = "--clickhouse-ca",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_CA}",
      description =
          "PEM file of the authorities to believe, for https (default: TOCSIN_CLICKHOUSE_CA)")
  private Path authorities;

  private enum Source {
    clickhouse,
    kafka,
    file
  }

  History history(KafkaOption kafka) {
    return switch (source) {
      case clickhouse -> new ClickHouseHistory(clickHouse, user, password(), client());
      case kafka -> kafka.history();
      case file -> {
        if (events == null) {
          throw CommandException.usage("no file of events is named", "give --events FILE");
        }
        yield new EventList(EventJson.readAll(events));
      }
    };
  }

  private HttpClient client() {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT);
    if (authorities == null) {
      return client.build();
    }
    try (InputStream pem = Files.newInputStream(authorities)) {
      KeyStore believed = KeyStore.getInstance(KeyStore.getDefaultType());
      believed.load(null, null);
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        believed.setCertificateEntry("authority-" + believed.size(), each);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(believed);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return client.sslContext(context).build();
    } catch (IOException | GeneralSecurityException e) {
      throw CommandException.usage(
          authorities + " cannot be used: " + e.getMessage(),
          "--clickhouse-ca names a PEM file of certificates");
    }
  }

  private String password() {
    if (passwordFile == null) {
      return "";
    }
    try (Stream<String> lines = Files.lines(passwordFile)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw CommandException.usage(
          passwordFile + " cannot be read: " + e.getMessage(),
          "--clickhouse-password-file names a file whose first line is the password");
    }
  }
}
