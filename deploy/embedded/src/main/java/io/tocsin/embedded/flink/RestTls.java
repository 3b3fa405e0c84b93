package io.tocsin.embedded.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tocsin.kafka.ConnectionTrouble;
import io.tocsin.pagerecorder.Authorities;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;

/**
 * HTTPS at Flink's REST interface, by PEM files as all other parts have them. Flink itself reads
 * key stores alone, so they are made for the life of this process, under a password that nobody is
 * told.
 */
final class RestTls {
  private static final String TYPE = "PKCS12";
  private static final int LONGEST_ANSWER_MS = 5_000;
  private static final List<String> KINDS_OF_KEYS = List.of("EC", "RSA");
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  /** Flink's own are for RSA keys alone. */
  private static final String CIPHERS =
      "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
          + "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";

  private RestTls() {}

  /**
   * For the side that answers. It gives itself its jobs, for which it believes its own certificate
   * alone.
   *
   * @param certificate file with its private key (PKCS 8), its certificate, and those that lead to
   *     the authority
   * @throws IOException where the file cannot be used, saying what is wrong in it
   */
  static void serve(Configuration flink, Path certificate) throws IOException {
    try {
      String text = Files.readString(certificate);
      PrivateKey key = key(text);
      InputStream certificates =
          new ByteArrayInputStream(KEY.matcher(text).replaceAll("").getBytes(UTF_8));
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(certificates)
              .toArray(Certificate[]::new);
      String password = UUID.randomUUID().toString();
      KeyStore store = KeyStore.getInstance(TYPE);
      store.load(null, null);
      store.setKeyEntry("flink", key, password.toCharArray(), chain);
      flink.set(SecurityOptions.SSL_REST_KEYSTORE, written(store, password));
      flink.set(SecurityOptions.SSL_REST_KEYSTORE_TYPE, TYPE);
      flink.set(SecurityOptions.SSL_REST_KEYSTORE_PASSWORD, password);
      flink.set(SecurityOptions.SSL_REST_KEY_PASSWORD, password);
      KeyStore itself = KeyStore.getInstance(TYPE);
      itself.load(null, null);
      itself.setCertificateEntry("flink", chain[0]);
      trust(flink, itself);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(
          certificate + " holds no key with its certificate: " + e.getMessage(), e);
    }
  }

  /**
   * For the side that asks.
   *
   * @param authorities file with the certificates to believe, and no others
   * @throws IOException where the file cannot be used, saying what is wrong in it
   */
  static void believe(Configuration flink, Path authorities) throws IOException {
    try {
      trust(flink, Authorities.in(authorities));
    } catch (GeneralSecurityException e) {
      throw new IOException(authorities + " holds no usable certificates: " + e.getMessage(), e);
    }
  }

  /**
   * Looks at the certificate of the cluster that a configuration names. Flink's own client believes
   * one for any host.
   *
   * @throws IOException where it is not believed, or nobody answers
   */
  static void check(Configuration flink, Path authorities) throws IOException {
    String host = flink.get(RestOptions.ADDRESS);
    int port = flink.get(RestOptions.PORT);
    SSLSocketFactory factory = Authorities.of(authorities).getSocketFactory();
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(host, port), LONGEST_ANSWER_MS);
      plain.setSoTimeout(LONGEST_ANSWER_MS);
      try (SSLSocket encrypted = (SSLSocket) factory.createSocket(plain, host, port, true)) {
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
      }
    }
  }

  /** Why Flink was not reached, in a sentence with what to do where it is the certificate. */
  static String told(Throwable failure) {
    return ConnectionTrouble.of(failure)
        .map(trouble -> trouble.reason() + "; " + trouble.remedy())
        .orElseGet(failure::toString);
  }

  private static void trust(Configuration flink, KeyStore authorities)
      throws IOException, GeneralSecurityException {
    String password = UUID.randomUUID().toString();
    flink.set(SecurityOptions.SSL_REST_TRUSTSTORE, written(authorities, password));
    flink.set(SecurityOptions.SSL_REST_TRUSTSTORE_TYPE, TYPE);
    flink.set(SecurityOptions.SSL_REST_TRUSTSTORE_PASSWORD, password);
    flink.set(SecurityOptions.SSL_REST_ENABLED, true);
    flink.set(SecurityOptions.SSL_ALGORITHMS, CIPHERS);
  }

  private static PrivateKey key(String pem) throws GeneralSecurityException {
    Matcher text = KEY.matcher(pem);
    if (!text.find()) {
      throw new GeneralSecurityException("it has no line '-----BEGIN PRIVATE KEY-----'");
    }
    PKCS8EncodedKeySpec encoded =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.group(1)));
    for (String kind : KINDS_OF_KEYS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(encoded);
      } catch (InvalidKeySpecException e) {
        // It is of another kind.
      }
    }
    throw new GeneralSecurityException("its key is none of " + KINDS_OF_KEYS);
  }

  /** Into a file that nobody else may read. */
  private static String written(KeyStore store, String password)
      throws IOException, GeneralSecurityException {
    Path file = Files.createTempFile("tocsin-flink-", ".p12");
    file.toFile().deleteOnExit();
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, password.toCharArray());
    }
    return file.toString();
  }
}
