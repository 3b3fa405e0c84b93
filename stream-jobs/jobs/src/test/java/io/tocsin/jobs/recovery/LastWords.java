package io.tocsin.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.connectors.kafka.Topics;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Where the topics leave every key, in the words of {@link Story}. */
final class LastWords {
  private final TopicWords topics;

  LastWords(TopicWords topics) {
    this.topics = topics;
  }

  /** State and access of each client, by MAC. */
  Map<String, String> registrations() throws InvalidProtocolBufferException {
    Map<String, String> states = new TreeMap<>();
    for (List<byte[]> words : topics.of(Topics.REGISTRATIONS).values()) {
      Registration last = Registration.parseFrom(words.get(words.size() - 1));
      states.put(last.getMac(), wordOf(last.getState()) + " " + wordOf(last.getAccess()));
    }
    return states;
  }

  /** Link, kind, state and cause of each episode. */
  Set<String> episodes() throws InvalidProtocolBufferException {
    Map<String, String> states = new TreeMap<>();
    for (List<byte[]> words : topics.of(Topics.WAN_EPISODES).values()) {
      for (byte[] word : words) {
        WanEpisode episode = WanEpisode.parseFrom(word);
        states.put(
            episode.getEpisodeId(),
            String.join(
                " ",
                episode.getLinkId(),
                wordOf(episode.getKind()),
                wordOf(episode.getState()),
                wordOf(episode.getCause())));
      }
    }
    return new TreeSet<>(states.values());
  }

  /** STATE_OPEN is OPEN. */
  private static String wordOf(Enum<?> value) {
    return value.name().substring(value.name().indexOf('_') + 1);
  }

  /** Whether each active alert pages. */
  Map<String, Boolean> isPaging() throws InvalidProtocolBufferException {
    Map<String, Boolean> isPaging = new TreeMap<>();
    for (Alert last : alerts()) {
      if (last.getState() != AlertState.ALERT_STATE_RESOLVED
          && last.getState() != AlertState.ALERT_STATE_EXPIRED) {
        isPaging.put(nameOf(last), last.getState() != AlertState.ALERT_STATE_SUPPRESSED);
      }
    }
    return isPaging;
  }

  private List<Alert> alerts() throws InvalidProtocolBufferException {
    List<Alert> last = new ArrayList<>();
    for (List<byte[]> words : topics.of(Topics.ALERTS).values()) {
      byte[] word = words.get(words.size() - 1);
      if (word != null) {
        last.add(Alert.parseFrom(word));
      }
    }
    return last;
  }

  private static String nameOf(Alert alert) {
    return alert.getSource() + " " + alert.getDevice() + " " + alert.getCheck();
  }

  /** Of this story's alerts: Alertmanager is told of those that earlier ones left open too. */
  Set<String> ringing(FakeAlertmanager alertmanager) throws InvalidProtocolBufferException {
    Map<String, Alert> ofStory =
        alerts().stream().collect(Collectors.toMap(Alert::getFingerprint, Function.identity()));
    Set<String> ringing = new TreeSet<>();
    for (JsonNode labels : alertmanager.ringing().toList()) {
      Alert alert = ofStory.get(labels.get("fingerprint").asText());
      if (alert != null) {
        assertThat(ringing.add(nameOf(alert))).as("rings twice: %s", labels).isTrue();
      }
    }
    return ringing;
  }
}
