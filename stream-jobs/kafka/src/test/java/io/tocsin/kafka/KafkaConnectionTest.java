package io.tocsin.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;
import org.apache.kafka.common.security.scram.ScramExtensionsCallback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaConnectionTest {
  private static final Path EXAMPLE = Path.of("../../deploy/config/kafka.example.properties");
  private static final String SECRET = "correct horse \"battery\" \\staple";

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    Files.writeString(folder.resolve("kafka.password"), SECRET + "\n");
    return Files.writeString(folder.resolve("kafka.properties"), text);
  }

  private KafkaConnection example() throws IOException {
    return KafkaConnection.of(null, file(Files.readString(EXAMPLE)), "127.0.0.1:9092");
  }

  @Test
  void theExampleIsReadWithReferencesInThePlaceOfSecrets() throws IOException {
    KafkaConnection connection = example();

    assertThat(connection.bootstrapServers())
        .isEqualTo("kafka-1.example.org:9093,kafka-2.example.org:9093");
    assertThat(connection.settings())
        .containsEntry("security.protocol", "SASL_SSL")
        .containsEntry("sasl.mechanism", "SCRAM-SHA-512")
        .containsEntry("ssl.truststore.type", "PEM")
        .containsEntry("ssl.truststore.location", folder.resolve("kafka-ca.pem").toString());
  }

  @Test
  void itsSerialFormHoldsNoSecret() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(example());
    }

    assertThat(bytes.toString(StandardCharsets.ISO_8859_1))
        .contains("kafka.password")
        .doesNotContain("battery");
  }

  @Test
  void eachLoginReadsThePasswordAsItStandsInItsFileThen() throws Exception {
    var settings = new AdminClientConfig(example().client(Map.of())).values();
    assertThat(settings.get("sasl.client.callback.handler.class")).isEqualTo(PasswordFile.class);
    var handler = new PasswordFile();
    var entries = JaasContext.loadClientContext(settings).configurationEntries();
    handler.configure(settings, "SCRAM-SHA-512", entries);
    for (String password : List.of(SECRET, "another \\ \"one\"")) {
      Files.writeString(folder.resolve("kafka.password"), password + "\n");
      var name = new NameCallback("user");
      var wanted = new PasswordCallback("password", false);
      handler.handle(new Callback[] {name, wanted, new ScramExtensionsCallback()});
      assertThat(name.getName()).isEqualTo("tocsin_agent");
      assertThat(wanted.getPassword()).isEqualTo(password.toCharArray());
    }
    Files.delete(folder.resolve("kafka.password"));
    assertThatThrownBy(() -> handler.configure(settings, "SCRAM-SHA-512", entries))
        .hasMessageContaining("kafka.password cannot be read");
  }

  @Test
  void aLoginByTokenReadsItsFileEachTime() throws Exception {
    KafkaConnection connection =
        KafkaConnection.of(
            null,
            file(
                """
                security.protocol=SASL_SSL
                ssl.ca.location=ca.pem
                sasl.mechanism=OAUTHBEARER
                sasl.oauthbearer.token.file=kafka.token
                """),
            "");
    var settings =
        new AdminClientConfig(connection.client(Map.of("bootstrap.servers", "k:1"))).values();
    var handler = new TokenFile();
    handler.configure(
        settings, "OAUTHBEARER", JaasContext.loadClientContext(settings).configurationEntries());
    for (String subject : List.of("tocsin_jobs", "another")) {
      Files.writeString(folder.resolve("kafka.token"), token(subject) + "\n");
      var callback = new OAuthBearerTokenCallback();
      handler.handle(new Callback[] {callback});
      assertThat(callback.token().value()).isEqualTo(token(subject));
      assertThat(callback.token().principalName()).isEqualTo(subject);
      assertThat(callback.token().lifetimeMs()).isEqualTo(4_102_444_800_000L);
    }
    Files.writeString(folder.resolve("kafka.token"), "hunter2");
    assertThatThrownBy(() -> handler.handle(new Callback[] {new OAuthBearerTokenCallback()}))
        .hasMessageContaining("kafka.token is no JSON Web Token")
        .hasMessageNotContaining("hunter2");
  }

  private static String token(String subject) {
    String claims = "{\"sub\":\"" + subject + "\",\"iat\":1700000000,\"exp\":4102444800}";
    return Stream.of("{\"alg\":\"RS256\"}", claims, "signature")
        .map(
            part ->
                Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(part.getBytes(StandardCharsets.UTF_8)))
        .collect(Collectors.joining("."));
  }

  @Test
  void brokersOfTheCommandLineGoBeforeThoseOfTheFile() throws IOException {
    Path file = file("bootstrap.servers=k:1\n");

    assertThat(KafkaConnection.of("l:2", file, "d:3").bootstrapServers()).isEqualTo("l:2");
    assertThat(KafkaConnection.of(null, file, "d:3").bootstrapServers()).isEqualTo("k:1");
    assertThat(KafkaConnection.of(null, null, "d:3").bootstrapServers()).isEqualTo("d:3");
  }

  @Test
  void whatIsUnknownOrMissingIsRefusedByItsName() throws IOException {
    Path unknown = file("ssl.truststore.location=x\n");
    assertThatThrownBy(() -> KafkaConnection.of(null, unknown, ""))
        .hasMessageContaining("line 1: there is no ssl.truststore.location");
    Path missing = file("security.protocol=SSL\n");
    assertThatThrownBy(() -> KafkaConnection.of(null, missing, ""))
        .hasMessageContaining("security.protocol=SSL needs ssl.ca.location");
  }

  @Test
  void aFailureIsToldByItsInnermostKnownCause() {
    var expired =
        new KafkaException(
            "no metadata",
            new SslAuthenticationException(
                "SSL handshake failed", new CertificateExpiredException("NotAfter: 2021")));
    assertThat(ConnectionTrouble.of(expired).orElseThrow().reason())
        .isEqualTo("the server's certificate has expired (NotAfter: 2021)");
    var anotherHost =
        new SslAuthenticationException(
            "SSL handshake failed",
            new CertificateException("No subject alternative DNS name matching kafka-1 found."));
    assertThat(ConnectionTrouble.of(anotherHost).orElseThrow().reason())
        .isEqualTo(
            "the server's certificate is for another name: No subject alternative DNS name matching kafka-1 found.");
    var unknown =
        new SslAuthenticationException("x", new CertPathBuilderException("unable to find"));
    assertThat(ConnectionTrouble.of(unknown).orElseThrow().remedy()).contains("ssl.ca.location");
    var madeAnew =
        new SslAuthenticationException(
            "x", new CertPathValidatorException("signature check failed"));
    assertThat(ConnectionTrouble.of(madeAnew).orElseThrow().reason()).contains("by no authority");
    assertThat(ConnectionTrouble.of(new SaslAuthenticationException("bad")).orElseThrow().remedy())
        .contains("sasl.password.file");
    assertThat(ConnectionTrouble.of(new KafkaException("timeout"))).isEmpty();
  }
}
