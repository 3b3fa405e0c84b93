package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.registrations.v1.Registration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.ToLongFunction;

/**
 * What the compacted topics say last of each alert and client of a drill, without what tells drills
 * apart: the same traffic must end in the same words.
 */
final class LastWords {
  private LastWords() {}

  /**
   * Of one drill.
   *
   * @param name before the devices' names, {@link LoadDrill#run}'s
   * @param number of the clients' addresses, the same
   */
  private static Map<String, String> of(Installation on, String name, int number) {
    Topics topics = new Topics(on.kafkaBootstrapServers());
    Map<String, Alert> alerts = new TreeMap<>();
    topics.forEach(
        "alerts-v1",
        Alert.parser(),
        alert -> {
          if (alert.getDevice().startsWith(name + "-")) {
            alerts.merge(alert.getDevice(), alert, newest(Alert::getVersion));
          }
        });
    String prefix = "02:%02x:".formatted(number);
    Map<String, Registration> clients = new TreeMap<>();
    topics.forEach(
        "registrations-v1",
        Registration.parser(),
        client -> {
          if (client.getMac().startsWith(prefix)) {
            clients.merge(client.getMac(), client, newest(Registration::getVersion));
          }
        });
    Map<String, String> words = new TreeMap<>();
    alerts.forEach(
        (device, alert) ->
            words.put(
                device.substring(name.length()),
                alert.getState() + " " + alert.getSeverity() + " " + alert.getUpdateCount()));
    clients.forEach(
        (mac, client) ->
            words.put(
                mac.substring(prefix.length()), client.getState() + " " + client.getAccess()));
    return words;
  }

  /**
   * Requires those of two drills to be the same, by what the first says: who is touched takes
   * longer, and is sent more.
   */
  static void assertSame(Installation on, String calm, int calmNumber, String name, int number) {
    Map<String, String> expected = of(on, calm, calmNumber);
    Map<String, String> words = of(on, name, number);
    words.keySet().retainAll(expected.keySet());
    assertThat(words).isNotEmpty().isEqualTo(expected);
    on.say(
        "%s: %d last words of alerts-v1 and registrations-v1, the same as of an undisturbed run"
            .formatted(name, words.size()));
  }

  private static <T> BinaryOperator<T> newest(ToLongFunction<T> version) {
    return (a, b) -> version.applyAsLong(a) > version.applyAsLong(b) ? a : b;
  }
}
