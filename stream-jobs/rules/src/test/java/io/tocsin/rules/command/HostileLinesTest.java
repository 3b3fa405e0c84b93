package io.tocsin.rules.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rules.document.Clause;
import io.tocsin.rules.document.Example;
import io.tocsin.rules.document.Rule;
import io.tocsin.rules.match.RuleSet;
import io.tocsin.rules.match.SyslogMatch;
import io.tocsin.rules.match.TextPattern;
import io.tocsin.rules.match.TrapMatch;
import io.tocsin.testsupport.HostileLines;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Every rule of deploy/rules meets lines of 256 KiB that nearly match it. */
class HostileLinesTest {
  private static final Path FOLDER = Path.of(System.getProperty("tocsin.rules"));

  @Test
  void aByteOfALongLineCostsEveryShippedRuleNoMoreThanOneOfAShortLine() {
    int clauses = 0;
    for (Rule rule : RuleFiles.read(List.of(FOLDER)).rules()) {
      RuleSet alone = RuleSet.of(List.of(rule));
      for (Clause clause : rule.clauses()) {
        if (clause.match() instanceof SyslogMatch match) {
          clauses++;
          feed(rule, match.pattern(), line -> alone.apply(syslog(match, line), key -> null));
        } else if (clause.match() instanceof TrapMatch match) {
          clauses++;
          feed(rule, TextPattern.ANY, line -> alone.apply(trap(match, line), key -> null));
        }
      }
    }
    assertThat(clauses).isGreaterThan(90);
  }

  private static void feed(Rule rule, TextPattern pattern, Consumer<String> work) {
    String text = pattern.literal().isEmpty() ? pattern.toString() : pattern.literal();
    HostileLines.seedsOf(text.isEmpty() ? "(" : text)
        .forEach(seed -> HostileLines.assertLinear(rule.name(), seed, work));
    rule.examples().stream()
        .map(Example::syslog)
        .filter(example -> !example.isEmpty())
        .forEach(example -> HostileLines.assertLinear(rule.name(), example, work));
  }

  private static Event syslog(SyslogMatch match, String line) {
    Syslog.Builder syslog = Syslog.newBuilder().setMessage(line).setProcId(line);
    syslog.setAppName(match.appNames().stream().findFirst().orElse(line));
    syslog.setMsgId(match.msgIds().stream().findFirst().orElse(line));
    match.structuredData().keySet().forEach(key -> syslog.putStructuredData(key, line));
    return Event.newBuilder().setDevice(line).setSyslog(syslog).build();
  }

  private static Event trap(TrapMatch match, String line) {
    SnmpTrap.Builder trap = SnmpTrap.newBuilder().setTrapName(match.traps().iterator().next());
    for (TrapMatch.VarbindMatch varbind : match.varbinds()) {
      trap.addVarbinds(
          SnmpTrap.Varbind.newBuilder().setOid(varbind.object() + "." + line).setValue(line));
    }
    return Event.newBuilder().setDevice(line).setSnmpTrap(trap).build();
  }
}
