package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.alerts.Fingerprint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Tries another fingerprint: which alerts become one, and which become several. Fields are those of
 * a signal: source, device, check, site, a label by its name, or {@code labels.<name>}.
 */
public final class Identity implements UnaryOperator<Signal> {
  private static final String LABELS = "labels.";

  private final List<String> fields;
  private final Map<String, Map<String, String>> alertsNow = new HashMap<>();
  private final Map<String, Map<String, String>> alertsThen = new HashMap<>();
  private final Map<String, Set<String>> nowByThen = new TreeMap<>();
  private final Map<String, Set<String>> thenByNow = new TreeMap<>();

  /**
   * Alerts that become one, or one that becomes several.
   *
   * @param one the fields of the one
   * @param several the fields of each of the others
   */
  public record Group(Map<String, String> one, List<Map<String, String>> several) {}

  /** Identity by some fields. */
  public Identity(List<String> fields) {
    this.fields = List.copyOf(fields);
  }

  @Override
  public Signal apply(Signal signal) {
    Map<String, String> then = new TreeMap<>();
    for (String field : fields) {
      String value = valueOf(signal, field);
      if (!value.isEmpty()) {
        then.put(field, value);
      }
    }
    if (then.isEmpty()) {
      return signal;
    }
    Signal changed =
        signal.toBuilder().clearFingerprintFields().putAllFingerprintFields(then).build();
    if (signal.getKind() == Signal.Kind.KIND_RAISE) {
      String before = Fingerprint.of(signal);
      String after = Fingerprint.of(changed);
      alertsNow.putIfAbsent(before, new TreeMap<>(signal.getFingerprintFieldsMap()));
      alertsThen.putIfAbsent(after, then);
      nowByThen.computeIfAbsent(after, key -> new TreeSet<>()).add(before);
      thenByNow.computeIfAbsent(before, key -> new TreeSet<>()).add(after);
    }
    return changed;
  }

  private static String valueOf(Signal signal, String field) {
    return switch (field) {
      case "source" -> signal.getSource();
      case "device" -> signal.getDevice();
      case "check" -> signal.getCheck();
      case "site" -> signal.getSite();
      default -> {
        String label = field.startsWith(LABELS) ? field.substring(LABELS.length()) : field;
        yield signal.getFingerprintFieldsOrDefault(field, signal.getLabelsOrDefault(label, ""));
      }
    };
  }

  /** Alerts of now that would be one. */
  public List<Group> merged() {
    return groups(nowByThen, alertsThen, alertsNow);
  }

  /** Alerts of now that would be several. */
  public List<Group> split() {
    return groups(thenByNow, alertsNow, alertsThen);
  }

  private static List<Group> groups(
      Map<String, Set<String>> groups,
      Map<String, Map<String, String>> one,
      Map<String, Map<String, String>> several) {
    List<Group> found = new ArrayList<>();
    groups.forEach(
        (key, members) -> {
          if (members.size() > 1) {
            found.add(new Group(one.get(key), members.stream().map(several::get).toList()));
          }
        });
    return found;
  }
}
