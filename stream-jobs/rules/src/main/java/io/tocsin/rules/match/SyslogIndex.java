package io.tocsin.rules.match;

import io.tocsin.correlation.text.LiteralScan;
import io.tocsin.events.v1.Syslog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the few clauses that a syslog message can match, without trying a pattern: by msg_id, by
 * app_name, and those that name neither by a literal of their pattern.
 */
final class SyslogIndex {
  private final Map<String, List<CompiledClause>> byMsgId = new HashMap<>();
  private final Map<String, List<CompiledClause>> byAppName = new HashMap<>();
  private final LiteralScan<CompiledClause> byLiteral = new LiteralScan<>();
  private boolean hasLiterals;

  void add(CompiledClause clause, SyslogMatch match) {
    if (!match.msgIds().isEmpty()) {
      addTo(byMsgId, match.msgIds(), clause);
    } else if (!match.appNames().isEmpty()) {
      addTo(byAppName, match.appNames(), clause);
    } else {
      byLiteral.add(match.pattern().literal(), clause);
      hasLiterals = true;
    }
  }

  private static void addTo(
      Map<String, List<CompiledClause>> index, Set<String> keys, CompiledClause clause) {
    keys.forEach(key -> index.computeIfAbsent(key, k -> new ArrayList<>()).add(clause));
  }

  void close() {
    byLiteral.close();
  }

  /** Clauses to try, in order. */
  Iterable<CompiledClause> candidates(Syslog syslog) {
    List<CompiledClause> named = byMsgId.get(syslog.getMsgId());
    List<CompiledClause> ofProgram = byAppName.get(syslog.getAppName());
    TreeSet<CompiledClause> candidates = null;
    if (hasLiterals) {
      Collector collector = new Collector();
      byLiteral.scan(syslog.getMessage(), collector);
      candidates = collector.candidates;
    }
    if (candidates == null && (named == null || ofProgram == null)) {
      return named != null ? named : ofProgram != null ? ofProgram : List.of();
    }
    TreeSet<CompiledClause> all = candidates == null ? new TreeSet<>() : candidates;
    all.addAll(named == null ? List.of() : named);
    all.addAll(ofProgram == null ? List.of() : ofProgram);
    return all;
  }

  /** Makes its set only when there is something to put in. */
  private static final class Collector implements java.util.function.Consumer<CompiledClause> {
    private TreeSet<CompiledClause> candidates;

    @Override
    public void accept(CompiledClause clause) {
      if (candidates == null) {
        candidates = new TreeSet<>();
      }
      candidates.add(clause);
    }
  }
}
