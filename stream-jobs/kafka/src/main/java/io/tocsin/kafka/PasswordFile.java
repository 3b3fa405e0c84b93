package io.tocsin.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

/**
 * Logs each connection in by the password in a file, as it stands there then: a password that is
 * changed there and at the broker needs no restart. Kafka's own login keeps what it was given at
 * the start.
 */
public final class PasswordFile implements AuthenticateCallbackHandler {
  private static final String USER = "username";
  private static final String FILE = "file";

  private String user;
  private Path file;

  /** For Kafka, which makes it by its name. */
  public PasswordFile() {}

  /** How a client is told to log in by this file. */
  static void register(String module, String user, String file, Map<String, String> settings) {
    settings.put("sasl.client.callback.handler.class", PasswordFile.class.getName());
    settings.put(
        "sasl.jaas.config",
        "%s required %s=\"%s\" %s=\"%s\";"
            .formatted(
                module, USER, SecretProvider.quoted(user), FILE, SecretProvider.quoted(file)));
  }

  @Override
  public void configure(
      Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {
    Map<String, ?> options = entries.get(0).getOptions();
    user = (String) options.get(USER);
    file = Path.of((String) options.get(FILE));
    try {
      password();
    } catch (IOException e) {
      throw new ConfigException(e.getMessage());
    }
  }

  /** Nobody is asked but for the name and the password. */
  @Override
  public void handle(Callback[] callbacks) throws IOException {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        name.setName(user);
      } else if (callback instanceof PasswordCallback wanted) {
        wanted.setPassword(password().toCharArray());
      }
    }
  }

  private String password() throws IOException {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new IOException("the secret in " + file + " cannot be read: " + e, e);
    }
  }

  @Override
  public void close() {
    // Holds nothing open.
  }
}
