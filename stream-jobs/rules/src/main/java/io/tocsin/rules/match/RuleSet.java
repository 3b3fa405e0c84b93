package io.tocsin.rules.match;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.Event;
import io.tocsin.rules.document.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * Rules made ready: indexed by what an event is and names, so that an event meets only the clauses
 * that it can match. A thousand rules cost an event that matches none of them two look-ups and one
 * pass over its text.
 *
 * <p>Of each rule the first clause that matches an event speaks. Rules are asked in order of their
 * names, so the same events give the same signals in the same order.
 */
public final class RuleSet {
  private static final Map<String, Hysteresis> NOTHING_CHANGED = Map.of();
  private static final Outcome SILENCE = new Outcome(List.of(), NOTHING_CHANGED);

  private final SyslogIndex syslog = new SyslogIndex();
  private final Map<String, List<CompiledClause>> traps = new HashMap<>();
  private final Map<Dhcp.MessageType, List<CompiledClause>> dhcp =
      new EnumMap<>(Dhcp.MessageType.class);
  private final Map<AlertUpdate.Action, List<CompiledClause>> findings =
      new EnumMap<>(AlertUpdate.Action.class);
  private final Map<String, List<CompiledClause>> gauges = new HashMap<>();
  private final List<CompiledClause> counters = new ArrayList<>();
  private final List<CompiledClause> probes = new ArrayList<>();

  /**
   * What an event caused.
   *
   * @param signals in order of the rules' names
   * @param changed state to keep by key; null to forget
   */
  public record Outcome(List<Signal> signals, Map<String, Hysteresis> changed) {}

  private RuleSet() {}

  /** Makes rules ready. */
  public static RuleSet of(Collection<Rule> rules) {
    RuleSet set = new RuleSet();
    int order = 0;
    for (Rule rule : rules.stream().sorted(Comparator.comparing(Rule::name)).toList()) {
      for (int number = 0; number < rule.clauses().size(); number++) {
        set.add(new CompiledClause(order++, rule, number, rule.clauses().get(number)));
      }
    }
    set.syslog.close();
    return set;
  }

  private void add(CompiledClause clause) {
    // Java 17 has no exhaustive switch over a sealed type.
    EventMatch match = clause.clause().match();
    if (match instanceof SyslogMatch syslogMatch) {
      syslog.add(clause, syslogMatch);
    } else if (match instanceof TrapMatch trap) {
      trap.traps().forEach(name -> listOf(traps, name).add(clause));
    } else if (match instanceof DhcpMatch message) {
      message.types().forEach(type -> listOf(dhcp, type).add(clause));
    } else if (match instanceof FindingMatch finding) {
      listOf(findings, finding.action()).add(clause);
    } else if (match instanceof GaugeMatch gauge) {
      gauge.names().forEach(name -> listOf(gauges, name).add(clause));
    } else if (match instanceof CounterMatch) {
      counters.add(clause);
    } else if (match instanceof ProbeMatch) {
      probes.add(clause);
    } else {
      throw new IllegalStateException("no index for " + match.getClass().getName());
    }
  }

  private static <K> List<CompiledClause> listOf(Map<K, List<CompiledClause>> index, K key) {
    return index.computeIfAbsent(key, k -> new ArrayList<>());
  }

  /** Whether a rule judges a figure of an event, for which {@link #apply} needs what was kept. */
  public boolean judges(Event event) {
    return switch (event.getBodyCase()) {
      case INTERFACE_COUNTERS -> !counters.isEmpty();
      case GAUGE -> gauges.containsKey(event.getGauge().getName());
      case LINK_PROBE -> !probes.isEmpty();
      default -> false;
    };
  }

  /** The signals that a message causes by itself, in order of the rules' names. */
  public List<Signal> signals(Event event) {
    return switch (event.getBodyCase()) {
      case SYSLOG -> messages(syslog.candidates(event.getSyslog()), event);
      case SNMP_TRAP -> messages(trapCandidates(event), event);
      case DHCP -> messages(dhcp.get(event.getDhcp().getMessageType()), event);
      case ALERT_UPDATE -> messages(findings.get(event.getAlertUpdate().getAction()), event);
      default -> List.of();
    };
  }

  /**
   * Takes one event, a message or a measure.
   *
   * @param stateOf what was kept under a key, null for nothing; asked only for figures, with keys
   *     that belong to the event's device
   */
  public Outcome apply(Event event, Function<String, Hysteresis> stateOf) {
    return switch (event.getBodyCase()) {
      case INTERFACE_COUNTERS -> measures(counters, event, stateOf);
      case GAUGE -> measures(gauges.get(event.getGauge().getName()), event, stateOf);
      case LINK_PROBE -> measures(probes, event, stateOf);
      default -> {
        List<Signal> signals = signals(event);
        yield signals.isEmpty() ? SILENCE : new Outcome(signals, NOTHING_CHANGED);
      }
    };
  }

  /** By number and by name: a trap whose name is not known has its number as its name. */
  private Iterable<CompiledClause> trapCandidates(Event event) {
    String oid = event.getSnmpTrap().getTrapOid();
    String name = event.getSnmpTrap().getTrapName();
    List<CompiledClause> byOid = traps.get(oid);
    List<CompiledClause> byName = name.equals(oid) ? null : traps.get(name);
    if (byOid == null || byName == null) {
      return byOid == null ? byName : byOid;
    }
    List<CompiledClause> both = new ArrayList<>(byOid);
    both.addAll(byName);
    return both.stream().distinct().sorted().toList();
  }

  private static List<Signal> messages(Iterable<CompiledClause> candidates, Event event) {
    if (candidates == null) {
      return List.of();
    }
    List<Signal> signals = null;
    Rule spoken = null;
    for (CompiledClause candidate : candidates) {
      if (candidate.rule() == spoken) {
        continue;
      }
      Map<String, String> fields = SignalMaker.commonFields(event);
      if (((MessageMatch) candidate.clause().match()).matches(event, fields)) {
        Signal signal = SignalMaker.signal(candidate, candidate.clause().kind(), event, fields);
        if (signal != null) {
          spoken = candidate.rule();
          signals = signals == null ? new ArrayList<>() : signals;
          signals.add(signal);
        }
      }
    }
    return signals == null ? List.of() : signals;
  }

  private static Outcome measures(
      List<CompiledClause> candidates, Event event, Function<String, Hysteresis> stateOf) {
    if (candidates == null || candidates.isEmpty()) {
      return SILENCE;
    }
    List<Signal> signals = new ArrayList<>();
    Map<String, Hysteresis> changed = new LinkedHashMap<>();
    Rule spoken = null;
    for (CompiledClause candidate : candidates) {
      Map<String, String> fields = SignalMaker.commonFields(event);
      MeasureMatch match = (MeasureMatch) candidate.clause().match();
      OptionalDouble figure = match.figure(event, fields);
      if (candidate.rule() == spoken || figure.isEmpty()) {
        continue;
      }
      spoken = candidate.rule();
      String key = SignalMaker.stateKey(candidate, fields);
      Hysteresis before = stateOf.apply(key);
      Threshold.Judgement judgement =
          match.threshold().judge(before, figure.getAsDouble(), event.getReceivedAtUnixNanos());
      if (judgement.state() != before) {
        changed.put(key, judgement.state());
      }
      judgement
          .signal()
          .map(kind -> SignalMaker.signal(candidate, kind, event, fields))
          .ifPresent(signals::add);
    }
    return signals.isEmpty() && changed.isEmpty() ? SILENCE : new Outcome(signals, changed);
  }
}
