package io.tocsin.rules.document;

import com.google.re2j.PatternSyntaxException;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.text.Glob;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.match.CounterMatch;
import io.tocsin.rules.match.DhcpMatch;
import io.tocsin.rules.match.EventMatch;
import io.tocsin.rules.match.FindingMatch;
import io.tocsin.rules.match.GaugeMatch;
import io.tocsin.rules.match.MeasureMatch;
import io.tocsin.rules.match.ProbeMatch;
import io.tocsin.rules.match.SyslogMatch;
import io.tocsin.rules.match.TextPattern;
import io.tocsin.rules.match.Threshold;
import io.tocsin.rules.match.TrapMatch;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads the clauses of a rule; severity and summary of the rule stand in where a clause has none.
 */
final class ClauseLoader {
  /** An alert nobody refreshes for a day is told as expired, unless the rule says otherwise. */
  static final int DEFAULT_EXPIRES_SECONDS = 86_400;

  /** A shorter literal is in too many messages to spare them the pattern. */
  static final int LEAST_LITERAL = 4;

  private static final String SEVERITY = "severity";
  private static final int MOST_CONSECUTIVE = 1_000;
  private static final List<String> MATCHES =
      List.of("syslog", "trap", "dhcp", "finding", "counter", "gauge", "probe");

  private final Fields rule;

  ClauseLoader(Fields rule) {
    this.rule = rule;
  }

  Clause load(Fields fields) {
    EventMatch match = match(fields);
    Clause clause = new Clause(kind(fields, match), match, severityOf(fields), summaryOf(fields));
    Set<String> available = DocumentLoader.available(clause);
    requireKnown(fields, "summary", clause.summary(), available);
    fields.refuseOthers();
    return clause;
  }

  /**
   * Refuses a severity by a field that no clause of the rule reads. A clause that does not read it
   * fits no case of it.
   */
  static void requireSeverityFields(Fields fields, Clause clause, Set<String> read) {
    for (String field : clause.severity().fields()) {
      if (!read.contains(field)) {
        throw fields.refusal(
            SEVERITY, "the severity looks at '" + field + "', which no clause reads");
      }
    }
  }

  /** Refuses a template with a field that no event can fill. */
  static void requireKnown(Fields fields, String key, Template template, Set<String> available) {
    for (String name : template.fields()) {
      if (!available.contains(name)) {
        throw fields.refusal(
            key,
            "'"
                + key
                + "' has {"
                + name
                + "}, which the clause at line "
                + fields.line()
                + " does not read: it has "
                + String.join(", ", available));
      }
    }
  }

  private static Signal.Kind kind(Fields fields, EventMatch match) {
    boolean isMeasure = match instanceof MeasureMatch;
    String word = fields.text("signal").orElse(null);
    if (isMeasure) {
      if (word != null) {
        throw fields.refusal(
            "signal", "a threshold raises and clears by itself: leave 'signal' away");
      }
      return Signal.Kind.KIND_UNSPECIFIED;
    }
    if (word == null) {
      throw fields.missing("signal");
    }
    return switch (word) {
      case "raise" -> Signal.Kind.KIND_RAISE;
      case "clear" -> Signal.Kind.KIND_CLEAR;
      default -> throw fields.refusal("signal", "'signal' is '" + word + "': give raise or clear");
    };
  }

  private SeverityChoice severityOf(Fields fields) {
    Fields owner = fields.has(SEVERITY) ? fields : rule;
    return owner.has(SEVERITY) ? severity(owner) : SeverityChoice.fixed(Severity.SEVERITY_WARNING);
  }

  /**
   * A word, {@code {field: NAME, words: {WORD: SEVERITY}, otherwise: SEVERITY}}, or {@code {cases:
   * [{NAME: VALUES, severity: SEVERITY}], otherwise: SEVERITY}}.
   */
  static SeverityChoice severity(Fields fields) {
    if (!fields.isMap(SEVERITY)) {
      return SeverityChoice.fixed(fields.severity(SEVERITY));
    }
    Fields choice = fields.map(SEVERITY).orElseThrow();
    List<SeverityChoice.Case> cases = choice.has("cases") ? cases(choice) : words(choice);
    SeverityChoice severity = new SeverityChoice(cases, choice.severity("otherwise"));
    choice.refuseOthers();
    return severity;
  }

  private static List<SeverityChoice.Case> words(Fields choice) {
    Fields words = choice.map("words").orElseThrow(() -> choice.missing("words"));
    String field = choice.required("field");
    // A word is meant as it stands, stars and all.
    return words.keys().stream()
        .map(
            word ->
                new SeverityChoice.Case(
                    Map.of(field, List.of(new Glob(List.of(word)))), words.severity(word)))
        .toList();
  }

  private static List<SeverityChoice.Case> cases(Fields choice) {
    List<SeverityChoice.Case> cases = new ArrayList<>();
    for (Fields each : choice.maps("cases")) {
      Severity severity = each.severity(SEVERITY);
      Map<String, List<Glob>> meant = new LinkedHashMap<>();
      for (String name : each.keys()) {
        if (!name.equals(SEVERITY)) {
          meant.put(name, each.texts(name).stream().map(Glob::of).toList());
        }
      }
      if (meant.isEmpty()) {
        throw each.refusal(SEVERITY, "the case names no field: that is what 'otherwise' is for");
      }
      cases.add(new SeverityChoice.Case(meant, severity));
    }
    return cases;
  }

  private Template summaryOf(Fields fields) {
    return fields
        .template("summary")
        .or(() -> rule.template("summary"))
        .orElseThrow(() -> fields.missing("summary"));
  }

  private static EventMatch match(Fields fields) {
    List<String> present = MATCHES.stream().filter(fields::has).toList();
    if (present.size() != 1) {
      throw new DocumentException(
          fields.file(),
          fields.line(),
          "a clause needs exactly one of " + String.join(", ", MATCHES));
    }
    String what = present.get(0);
    Fields match = fields.map(what).orElseThrow();
    EventMatch loaded =
        switch (what) {
          case "syslog" -> syslog(match);
          case "trap" -> trap(match);
          case "dhcp" -> dhcp(match);
          case "finding" -> finding(match);
          case "counter" -> counter(match);
          case "gauge" -> gauge(match);
          default -> probe(match);
        };
    match.refuseOthers();
    return loaded;
  }

  private static SyslogMatch syslog(Fields fields) {
    SyslogMatch match =
        new SyslogMatch(
            Set.copyOf(fields.texts("app_name")),
            Set.copyOf(fields.texts("msg_id")),
            pattern(fields, "pattern"),
            fields.textMap("structured_data"));
    fields.refuseOthers();
    boolean isNamed = !match.appNames().isEmpty() || !match.msgIds().isEmpty();
    if (!isNamed && match.pattern().literal().length() < LEAST_LITERAL) {
      throw fields.refusal(
          "pattern",
          "every message would be held against this pattern: give app_name or msg_id, or "
              + LEAST_LITERAL
              + " fixed characters outside of groups and alternatives");
    }
    return match;
  }

  private static TrapMatch trap(Fields fields) {
    List<String> traps = fields.texts("notification");
    if (traps.isEmpty()) {
      throw fields.missing("notification");
    }
    return new TrapMatch(
        Set.copyOf(traps), fields.maps("varbinds").stream().map(ClauseLoader::varbind).toList());
  }

  private static TrapMatch.VarbindMatch varbind(Fields fields) {
    TrapMatch.VarbindMatch varbind =
        new TrapMatch.VarbindMatch(
            fields.required("object"),
            fields.text("as").orElse(""),
            fields.text("instance_as").orElse(""),
            pattern(fields, "pattern"),
            fields.flag("optional", false));
    fields.refuseOthers();
    return varbind;
  }

  private static DhcpMatch dhcp(Fields fields) {
    Set<Dhcp.MessageType> types = EnumSet.noneOf(Dhcp.MessageType.class);
    for (String word : fields.texts("type")) {
      types.add(messageType(fields, word));
    }
    if (types.isEmpty()) {
      throw fields.missing("type");
    }
    return new DhcpMatch(types, pattern(fields, "pattern"));
  }

  private static Dhcp.MessageType messageType(Fields fields, String word) {
    for (Dhcp.MessageType type : Dhcp.MessageType.values()) {
      if (EnumWords.isSpecified(type) && EnumWords.wordOf(type).equals(word)) {
        return type;
      }
    }
    throw fields.refusal(
        "type",
        "'type' is '" + word + "': give for example request, nak, send_failed, no_free_leases");
  }

  private static FindingMatch finding(Fields fields) {
    String action = fields.required("action");
    boolean isRaise = action.equals("update");
    if (!isRaise && !action.equals("delete")) {
      throw fields.refusal("action", "'action' is '" + action + "': give update or delete");
    }
    FindingMatch match =
        new FindingMatch(
            Set.copyOf(fields.texts("source")),
            Set.copyOf(fields.texts("check")),
            isRaise ? AlertUpdate.Action.ACTION_UPDATE : AlertUpdate.Action.ACTION_DELETE,
            pattern(fields, "pattern"),
            fields.texts("labels"));
    if (match.sources().isEmpty() && match.checks().isEmpty()) {
      throw fields.missing("source");
    }
    return match;
  }

  private static CounterMatch counter(Fields fields) {
    return new CounterMatch(
        word(fields, "figure", CounterMatch.Figure.class),
        pattern(fields, "interface"),
        pattern(fields, "alias"),
        threshold(fields));
  }

  private static GaugeMatch gauge(Fields fields) {
    List<String> names = fields.texts("name");
    if (names.isEmpty()) {
      throw fields.missing("name");
    }
    String of = fields.text("of").orElse("value");
    if (!of.equals("value") && !of.equals("limit")) {
      throw fields.refusal("of", "'of' is '" + of + "': give value, or limit for value / limit");
    }
    return new GaugeMatch(
        Set.copyOf(names), pattern(fields, "instance"), of.equals("limit"), threshold(fields));
  }

  private static ProbeMatch probe(Fields fields) {
    return new ProbeMatch(
        word(fields, "figure", ProbeMatch.Figure.class),
        pattern(fields, "link"),
        threshold(fields));
  }

  private static <E extends Enum<E>> E word(Fields fields, String key, Class<E> type) {
    String word = fields.required(key);
    StringBuilder words = new StringBuilder();
    for (E value : type.getEnumConstants()) {
      String each = value.name().toLowerCase(Locale.ROOT);
      if (each.equals(word)) {
        return value;
      }
      words.append(words.isEmpty() ? "" : ", ").append(each);
    }
    throw fields.refusal(key, "'" + key + "' is '" + word + "': give one of " + words);
  }

  /**
   * Above and below for a figure that must not be high, the other way round for one that must not
   * be low.
   */
  private static Threshold threshold(Fields fields) {
    boolean isUpward = fields.has("raise_above");
    if (isUpward == fields.has("raise_below")) {
      throw fields.missing("raise_above' or 'raise_below");
    }
    String raiseKey = isUpward ? "raise_above" : "raise_below";
    String clearKey = isUpward ? "clear_below" : "clear_above";
    double raiseAt = fields.number(raiseKey).orElseThrow();
    double clearAt = fields.number(clearKey).orElseThrow(() -> fields.missing(clearKey));
    if (isUpward ? clearAt > raiseAt : clearAt < raiseAt) {
      throw fields.refusal(
          clearKey,
          "'" + clearKey + "' lies beyond '" + raiseKey + "': the alert would never rest");
    }
    return new Threshold(raiseAt, clearAt, isUpward, consecutive(fields));
  }

  /** Polls in a row that it takes. */
  static int consecutive(Fields fields) {
    return fields.wholeNumber("consecutive", 1, 1, MOST_CONSECUTIVE);
  }

  private static TextPattern pattern(Fields fields, String key) {
    String regex = fields.text(key).orElse("");
    if (regex.isEmpty()) {
      return TextPattern.ANY;
    }
    try {
      return TextPattern.of(regex);
    } catch (PatternSyntaxException e) {
      throw fields.refusal(key, "'" + key + "' is no RE2 pattern: " + e.getMessage());
    }
  }
}
