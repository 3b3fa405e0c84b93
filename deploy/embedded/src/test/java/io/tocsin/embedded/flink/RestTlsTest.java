package io.tocsin.embedded.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flink's own REST interface and client, with certificates that are believed and that are not. */
class RestTlsTest {
  private static final String HOST = "IP:127.0.0.1";

  @TempDir private Path folder;
  private TestAuthority authority;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = new TestAuthority(folder.resolve("authority"));
  }

  @Test
  void jobsAreListedOverTls() throws Exception {
    Path certificate = authority.server(HOST, 30);
    assertThat(failure(certificate, authority.file())).isNull();
  }

  @Test
  void whoGivesItselfItsJobsBelievesItsOwnCertificateWhateverItsName() throws Exception {
    Configuration flink = configuration();
    RestTls.serve(flink, authority.server("DNS:jobs.example.org", 30));
    assertThat(listed(flink, flink, Optional.empty())).isNull();
  }

  @Test
  void expiredCertificateIsToldWithTheRemedy() throws Exception {
    Throwable failure = failure(authority.server(HOST, -1), authority.file());
    assertThat(RestTls.told(failure))
        .startsWith("the server's certificate has expired (NotAfter: ")
        .contains("; give the server a new certificate");
  }

  @Test
  void certificateForAnotherHostIsToldWithTheRemedy() throws Exception {
    Throwable failure = failure(authority.server("DNS:jobs.example.org", 30), authority.file());
    assertThat(RestTls.told(failure))
        .startsWith("the server's certificate is for another name: ")
        .contains("; reach the server by a name in its certificate");
  }

  @Test
  void certificateOfAnotherAuthorityIsToldWithTheRemedy() throws Exception {
    Path other = new TestAuthority(folder.resolve("other")).file();
    Throwable failure = failure(authority.server(HOST, 30), other);
    assertThat(RestTls.told(failure))
        .startsWith("the server's certificate is by no authority that is believed here")
        .contains("Flink: --flink-ca");
  }

  @Test
  void fileWithoutAKeyIsRefusedByItsName() throws Exception {
    Path certificate = authority.file();
    assertThatThrownBy(() -> RestTls.serve(configuration(), certificate))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(certificate.toString(), "BEGIN PRIVATE KEY");
    Path nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing");
    assertThatThrownBy(() -> RestTls.believe(configuration(), nothing))
        .hasMessageContaining("nothing.pem holds no usable certificates");
  }

  private Configuration configuration() {
    Configuration configuration =
        FlinkConfiguration.cluster("127.0.0.1", 0, 0, 1, folder, Optional.empty());
    configuration.set(RestOptions.BIND_PORT, "0");
    // A cluster that has no leader yet is asked again, for up to a minute.
    configuration.set(RestOptions.RETRY_DELAY, Duration.ofMillis(100));
    configuration.set(RestOptions.RETRY_MAX_ATTEMPTS, 600);
    return configuration;
  }

  /** What a question to a Flink with this certificate fails with, null where it is answered. */
  private Throwable failure(Path certificate, Path believed) throws Exception {
    Configuration flink = configuration();
    RestTls.serve(flink, certificate);
    Configuration asking = configuration();
    RestTls.believe(asking, believed);
    return listed(flink, asking, Optional.of(believed));
  }

  private static Throwable listed(
      Configuration flink, Configuration asking, Optional<Path> believed) throws Exception {
    MiniClusterConfiguration settings =
        new MiniClusterConfiguration.Builder()
            .setConfiguration(flink)
            .setNumTaskManagers(1)
            .build();
    MiniCluster cluster = new MiniCluster(settings);
    try {
      cluster.start();
      asking.set(RestOptions.PORT, cluster.getRestAddress().get().getPort());
      return refusal(asking, believed);
    } finally {
      cluster.close();
    }
  }

  private static Throwable refusal(Configuration asking, Optional<Path> believed) throws Exception {
    try (ClusterClient<?> client =
        new RestClusterClient<>(asking, StandaloneClusterId.getInstance())) {
      return catchThrowable(
          () -> {
            if (believed.isPresent()) {
              RestTls.check(asking, believed.get());
            }
            client.listJobs().get();
          });
    }
  }
}
