package io.tocsin.embedded.kafka;

import io.tocsin.embedded.security.KafkaPermissions;
import io.tocsin.embedded.security.Secrets;
import java.nio.file.Path;

/**
 * Gives a cluster of secured brokers its users: their passwords and their permissions. Once more
 * gives it those that have changed.
 *
 * <p>Arguments: a folder with {@code tocsin_broker.properties}, by which a user who may do
 * everything reaches Kafka, and {@code <user>.password} of each other; and a folder like schemas/.
 */
public final class KafkaUsersMain {

  private KafkaUsersMain() {}

  /** Ends when Kafka has them. */
  public static void main(String[] args) {
    if (args.length != 2) {
      System.err.println("usage: KafkaUsersMain SECRETS SCHEMAS");
      System.exit(64);
    }
    Secrets secrets = new Secrets(Path.of(args[0]));
    SecuredKafka.setPasswords(secrets);
    SecuredKafka.permit(secrets, KafkaPermissions.of(Path.of(args[1])));
    System.out.println("Kafka has its users and their permissions");
  }
}
