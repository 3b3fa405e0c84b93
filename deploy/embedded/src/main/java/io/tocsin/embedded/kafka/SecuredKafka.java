package io.tocsin.embedded.kafka;

import io.tocsin.embedded.security.KafkaPermissions;
import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaFuture;

/** What a broker is told so that nobody does anything without TLS, a login and permission. */
public final class SecuredKafka {

  /** As kafka-configs has it. */
  private static final int ITERATIONS = 4096;

  private SecuredKafka() {}

  /**
   * The configuration of an open broker, closed. It holds no password: the login names the file, as
   * it does in every client. The controller believes the certificate, which the broker alone has.
   */
  static String properties(String open, Secrets secrets) {
    Map<String, String> client = secrets.connection(KafkaUser.BROKER).settings();
    String handler = "sasl.client.callback.handler.class";
    return open.replace("PLAINTEXT://", "SASL_SSL://")
            .replace("PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT", "SASL_SSL:SASL_SSL,CONTROLLER:SSL")
        + """
        inter.broker.listener.name=SASL_SSL
        ssl.keystore.type=PEM
        ssl.keystore.location=%1$s
        ssl.truststore.type=PEM
        ssl.truststore.location=%2$s
        listener.name.controller.ssl.client.auth=required
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
        %3$s=%4$s
        listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=%5$s
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:%6$s;User:CN=localhost
        """
            .formatted(
                secrets.server(),
                secrets.authority(),
                handler,
                client.get(handler),
                client.get("sasl.jaas.config"),
                KafkaUser.BROKER.login());
  }

  /** Gives every user its permissions, at a broker that answers. */
  public static void permit(Secrets secrets, KafkaPermissions permissions) {
    administer(secrets, admin -> admin.createAcls(permissions.acls()).all());
  }

  /** Gives every user but the brokers its password. */
  static void setPasswords(Secrets secrets) {
    ScramCredentialInfo how = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, ITERATIONS);
    List<UserScramCredentialAlteration> passwords = new ArrayList<>();
    for (KafkaUser user : EnumSet.complementOf(EnumSet.of(KafkaUser.BROKER))) {
      String password = secrets.password(user).strip();
      passwords.add(new UserScramCredentialUpsertion(user.login(), how, password));
    }
    administer(secrets, admin -> admin.alterUserScramCredentials(passwords).all());
  }

  private static void administer(Secrets secrets, Function<Admin, KafkaFuture<Void>> change) {
    try (Admin admin = Admin.create(secrets.connection(KafkaUser.BROKER).client(Map.of()))) {
      change.apply(admin).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "Kafka does not take its users and permissions: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Kafka took its users", e);
    }
  }
}
