package io.tocsin.pagerecorder;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Authorities of servers' certificates, to believe instead of those that Java believes. */
public final class Authorities {

  private Authorities() {}

  /**
   * TLS that believes those of a file.
   *
   * @param file their certificates, PEM
   * @throws IOException where it cannot be read or holds none
   */
  public static SSLContext of(Path file) throws IOException {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(in(file));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " holds no usable certificates: " + e.getMessage(), e);
    }
  }

  /**
   * Those of a file.
   *
   * @param file their certificates, PEM
   * @throws IOException where it cannot be read or holds none
   */
  public static KeyStore in(Path file) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      KeyStore authorities = KeyStore.getInstance("PKCS12");
      authorities.load(null, null);
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        authorities.setCertificateEntry(Integer.toString(authorities.size()), each);
      }
      if (authorities.size() == 0) {
        throw new IOException(file + " holds no certificate");
      }
      return authorities;
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " holds no usable certificates: " + e.getMessage(), e);
    }
  }
}
