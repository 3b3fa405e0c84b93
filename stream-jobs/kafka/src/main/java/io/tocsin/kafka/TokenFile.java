package io.tocsin.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.auth.SaslExtensionsCallback;
import org.apache.kafka.common.security.oauthbearer.ClientJwtValidator;
import org.apache.kafka.common.security.oauthbearer.JwtValidatorException;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;

/**
 * Logs a client in by the token in a file, as it stands there then: a client asks again before its
 * token expires. Kafka's own reader of files wants a property of the whole Java process that names
 * the file.
 */
public final class TokenFile implements AuthenticateCallbackHandler {
  private static final String FILE = "file";

  private final ClientJwtValidator validator = new ClientJwtValidator();
  private Path file;

  /** For Kafka, which makes it by its name. */
  public TokenFile() {}

  /** How a client is told to log in by this file. */
  static void register(String file, Map<String, String> settings) {
    settings.put("sasl.login.callback.handler.class", TokenFile.class.getName());
    settings.put(
        "sasl.jaas.config",
        "%s required %s=\"%s\";"
            .formatted(OAuthBearerLoginModule.class.getName(), FILE, SecretProvider.quoted(file)));
  }

  @Override
  public void configure(
      Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {
    file = Path.of((String) entries.get(0).getOptions().get(FILE));
    validator.configure(settings, mechanism, entries);
  }

  @Override
  public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      if (callback instanceof OAuthBearerTokenCallback wanted) {
        wanted.token(token());
      } else if (!(callback instanceof SaslExtensionsCallback)) {
        throw new UnsupportedCallbackException(callback);
      }
    }
  }

  private OAuthBearerToken token() throws IOException {
    try {
      return validator.validate(Files.readString(file).strip());
    } catch (JwtValidatorException e) {
      // Its words may repeat the token.
      throw new IOException(
          "the token in "
              + file
              + " is no JSON Web Token with sub and exp that are good; write the access token there,"
              + " as the authority gives it");
    }
  }

  @Override
  public void close() {
    // Holds nothing open.
  }
}
