package io.tocsin.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.Signal;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rules.document.DocumentException;
import io.tocsin.rules.v1.RuleDocument;
import org.junit.jupiter.api.Test;

class RuleBookTest {
  private static final Event DOWN =
      Event.newBuilder()
          .setDevice("sw1")
          .setSyslog(Syslog.newBuilder().setAppName("x").setMessage("down"))
          .build();

  private final RuleBook book = new RuleBook();

  @Test
  void aDocumentIsInForceUntilItIsRemoved() {
    book.put(rule("a", "down"));
    assertThat(signals()).isEqualTo(1);

    book.remove("b");
    assertThat(signals()).isEqualTo(1);
    book.remove("a");
    assertThat(signals()).isZero();
  }

  @Test
  void aNewerDocumentReplacesTheOneOfItsName() {
    book.put(rule("a", "down"));
    book.put(rule("a", "up"));
    assertThat(signals()).isZero();
    assertThat(book.size()).isEqualTo(1);
  }

  @Test
  void aDocumentThatIsNotUnderstoodLeavesTheFormerInForce() {
    book.put(rule("a", "down"));
    RuleDocument newer =
        rule("a", "up").toBuilder().setYaml(rule("a", "up").getYaml() + "future: key\n").build();

    assertThatThrownBy(() -> book.put(newer))
        .isInstanceOf(DocumentException.class)
        .hasMessageStartingWith("a.yaml:8: a document has no key 'future'");
    assertThat(signals()).isEqualTo(1);
  }

  @Test
  void aSignalSaysWhichVersionOfItsRuleMadeIt() {
    book.put(rule("a", "down").toBuilder().setPushedAtUnixNanos(7).build());

    assertThat(book.rules().signals(DOWN))
        .singleElement()
        .extracting(Signal::getRulePushedAtUnixNanos)
        .isEqualTo(7L);
  }

  @Test
  void aDocumentUnderAnotherNameIsRefused() {
    RuleDocument misnamed = rule("a", "down").toBuilder().setName("b").build();
    assertThatThrownBy(() -> book.put(misnamed))
        .hasMessage("a.yaml:3: the document 'a' came under the name 'b'");
  }

  @Test
  void onlyAPolicyIsAPolicy() {
    RuleDocument window =
        RuleDocument.newBuilder()
            .setName("w")
            .setYaml(
                "kind: maintenance\nname: w\nalerts: { device: x }\nstarts: 2026-11-20T22:00:00Z\nends: 2026-11-21T02:00:00Z\n")
            .build();
    assertThat(RuleBook.policy(window)).isPresent();
    assertThat(RuleBook.policy(rule("a", "down"))).isEmpty();
  }

  private int signals() {
    return book.rules().apply(DOWN, key -> null).signals().size();
  }

  private static RuleDocument rule(String name, String pattern) {
    return RuleDocument.newBuilder()
        .setName(name)
        .setOrigin(name + ".yaml:3")
        .setYaml(
            """
            kind: rule
            name: %s
            fingerprint: [device]
            summary: s
            clauses: [{ signal: raise, syslog: { app_name: x, pattern: %s } }]
            """
                .formatted(name, pattern))
        .build();
  }
}
