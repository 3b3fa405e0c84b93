package io.tocsin.embedded.security;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.kafka.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * What a secured stack keeps to itself: an authority, Kafka's certificate, a password for each user
 * of Kafka, and the file by which each reaches it. Made at the first start, in a folder into which
 * nobody else may look.
 *
 * @param folder where all of it stands
 */
public record Secrets(Path folder) {
  private static final int PASSWORD_BYTES = 24;
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Those of a stack that is secured. */
  public static Optional<Secrets> of(StateFolder state) {
    Secrets secrets = new Secrets(state.of("secrets"));
    return Files.exists(secrets.environment()) ? Optional.of(secrets) : Optional.empty();
  }

  /** New ones for a stack that has never run, or those that it has. */
  public static Secrets madeFor(StateFolder state, Ports ports) {
    Optional<Secrets> known = of(state);
    if (known.isPresent()) {
      return known.get();
    }
    if (Files.exists(state.of("kafka").resolve("data"))) {
      throw new IllegalStateException(
          state.root()
              + " was made by an open stack, whose Kafka has no users: 'make clean' removes it,"
              + " another PORT_OFFSET stands beside it");
    }
    Secrets secrets = new Secrets(state.of("secrets"));
    try {
      secrets.make(ports);
      return secrets;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(
          "the secrets in " + secrets.folder + " cannot be made: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while secrets were made", e);
    }
  }

  private void make(Ports ports)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Certificates certificates = Certificates.make(folder);
    write(authority(), certificates.authority());
    write(server(), certificates.server());
    for (KafkaUser user : KafkaUser.values()) {
      write(passwordFile(user), newPassword());
      write(
          clientFile(user),
          """
          bootstrap.servers=127.0.0.1:%1$d
          security.protocol=SASL_SSL
          ssl.ca.location=%2$s
          sasl.mechanism=SCRAM-SHA-512
          sasl.username=%3$s
          sasl.password.file=%4$s
          """
              .formatted(
                  ports.kafka(),
                  authority().getFileName(),
                  user.login(),
                  passwordFile(user).getFileName()));
    }
    // Last: it says that all is there.
    write(
        environment(),
        "unset TOCSIN_KAFKA; export TOCSIN_KAFKA_CONFIG='%s'%n"
            .formatted(clientFile(KafkaUser.OPERATOR)));
  }

  private static void write(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(file, OWNER_ONLY);
    Files.writeString(file, text);
  }

  private static String newPassword() {
    byte[] bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Certificate of the authority. */
  public Path authority() {
    return folder.resolve("ca.pem");
  }

  /** Key and certificates of the server. */
  public Path server() {
    return folder.resolve("server.pem");
  }

  /** For people's shells: how the commands that they type reach the stack. */
  public Path environment() {
    return folder.resolve("environment");
  }

  /** By which a user reaches Kafka. */
  public Path clientFile(KafkaUser user) {
    return folder.resolve(user.login() + ".properties");
  }

  /** The same for a client of this process. */
  public KafkaConnection connection(KafkaUser user) {
    return KafkaConnection.of(null, clientFile(user), "");
  }

  private Path passwordFile(KafkaUser user) {
    return folder.resolve(user.login() + ".password");
  }

  /** A user's password. */
  public String password(KafkaUser user) {
    try {
      return Files.readString(passwordFile(user));
    } catch (IOException e) {
      throw new UncheckedIOException("the password of " + user.login() + " cannot be read", e);
    }
  }
}
