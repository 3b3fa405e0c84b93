package io.tocsin.kafka;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Optional;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;

/**
 * What keeps a client from Kafka, ClickHouse or Flink, in words for the person who can mend it.
 *
 * @param reason one clause
 * @param remedy what to do
 */
public record ConnectionTrouble(String reason, String remedy) {

  /** What a failure means, where it is known. */
  public static Optional<ConnectionTrouble> of(Throwable failure) {
    ConnectionTrouble found = null;
    // The innermost cause knows most.
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      ConnectionTrouble known = known(cause);
      found = known == null ? found : known;
    }
    return Optional.ofNullable(found);
  }

  private static ConnectionTrouble known(Throwable cause) {
    if (cause instanceof CertificateExpiredException) {
      return new ConnectionTrouble(
          "the server's certificate has expired (" + cause.getMessage() + ")",
          "give the server a new certificate, or set this machine's clock right");
    }
    // The second: an authority of the same name with another key, as when it was made anew.
    if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
      return new ConnectionTrouble(
          "the server's certificate is by no authority that is believed here",
          "set ssl.ca.location (ClickHouse: --clickhouse-ca, Flink: --flink-ca) to the certificate of the authority that signed it; if it is the right one, somebody else answers"
              + " at this address");
    }
    if (cause instanceof CertificateException && cause.getMessage().startsWith("No ")) {
      return new ConnectionTrouble(
          "the server's certificate is for another name: " + cause.getMessage(),
          "reach the server by a name in its certificate, or give it one with this name as subjectAltName");
    }
    if (cause instanceof SaslAuthenticationException) {
      return new ConnectionTrouble(
          "the broker does not know this user with this password: " + cause.getMessage(),
          "set sasl.username and the password of sasl.password.file right, or give the broker this user");
    }
    if (cause instanceof UnsupportedSaslMechanismException) {
      return new ConnectionTrouble(
          "the broker does not offer this login: " + cause.getMessage(),
          "set sasl.mechanism to one of its sasl.enabled.mechanisms");
    }
    if (cause instanceof AuthorizationException) {
      return new ConnectionTrouble(
          "this user may not do this: " + cause.getMessage(),
          "use the account that is meant for it, or add the ACL with kafka-acls.sh: deploy/README.md has the table of who may"
              + " do what");
    }
    if (cause instanceof SslAuthenticationException) {
      return new ConnectionTrouble(
          "no encrypted connection: " + cause.getMessage(),
          "check security.protocol and ssl.ca.location against the broker's listener");
    }
    return null;
  }
}
