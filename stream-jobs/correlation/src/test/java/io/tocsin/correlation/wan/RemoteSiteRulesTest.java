package io.tocsin.correlation.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class RemoteSiteRulesTest {
  private final RemoteSiteRules rules = new RemoteSiteRules();
  private final RemoteSite site = new RemoteSite();
  private final List<RemoteSiteRules.Transition> told = new ArrayList<>();

  private void exists(String... links) {
    for (String link : links) {
      rules.onInput(site, new LinkUpdate(link, "dc2", at(0), false, new byte[0]));
    }
  }

  private void down(String link, int second) {
    tell(link, State.STATE_OPEN, second, second + 4);
  }

  private void up(String link, int began, int second) {
    tell(link, State.STATE_CLOSED, began, second);
  }

  private void tell(String link, State state, int began, int second, Evidence... evidence) {
    WanEpisode.Builder episode =
        WanEpisode.newBuilder()
            .setEpisodeId(link + "/down/" + began)
            .setLinkId(link)
            .setRemoteSite("dc2")
            .setKind(WanEpisode.Kind.KIND_DOWN)
            .setState(state)
            .setCause(Cause.CAUSE_UNEXPLAINED)
            .setStartedAtUnixNanos(at(began))
            .setChangedAtUnixNanos(at(second))
            .addAllEvidence(List.of(evidence));
    if (state == State.STATE_CLOSED) {
      episode.setEndedAtUnixNanos(at(second));
    }
    told.addAll(rules.onInput(site, LinkUpdate.of(episode.build())).decisions());
  }

  private static long at(int second) {
    return unixNanos(NOON.plusSeconds(second));
  }

  private List<String> told() {
    return told.stream()
        .map(RemoteSiteRules.Transition::episode)
        .map(e -> e.getLinkId() + " " + e.getVersion() + " " + e.getState() + " " + e.getCause())
        .map(text -> text.replaceAll("STATE_|CAUSE_", "").toLowerCase(Locale.ROOT))
        .toList();
  }

  @Test
  void allLinksToOnePlaceDownTogetherBlameThePlaceAndTheFirstIsToldAgain() {
    exists("a", "b");

    down("a", 10);
    down("b", 12);

    assertThat(told())
        .containsExactly(
            "a 1 open unexplained", "a 2 open remote_unreachable", "b 1 open remote_unreachable");
    assertThat(told.get(2).episode().getEvidenceList())
        .singleElement()
        .satisfies(
            evidence -> {
              assertThat(evidence.getName()).isEqualTo("links_down");
              assertThat(evidence.getValue()).isEqualTo(2);
              assertThat(evidence.getText()).isEqualTo("a, b");
            });
  }

  @Test
  void placeThatIsReachedByAnotherLinkIsNotToBlame() {
    exists("a", "b", "c");

    down("a", 10);
    down("b", 12);

    assertThat(told()).containsExactly("a 1 open unexplained", "b 1 open unexplained");
  }

  @Test
  void linksThatWentDownAtDifferentTimesAreTwoFaults() {
    exists("a", "b");

    down("a", 10);
    down("b", 300);

    assertThat(told()).containsExactly("a 1 open unexplained", "b 1 open unexplained");
  }

  @Test
  void oneLinkAloneSaysNothingOfThePlace() {
    exists("a");

    down("a", 10);

    assertThat(told()).containsExactly("a 1 open unexplained");
  }

  @Test
  void interfaceThatIsDownHereDoesNotBlameThere() {
    exists("a", "b");

    tell(
        "a",
        State.STATE_OPEN,
        10,
        14,
        Evidence.newBuilder().setName("interface_down").setValue(1).build());
    down("b", 12);

    assertThat(told()).containsExactly("a 1 open unexplained", "b 1 open unexplained");
  }

  @Test
  void causeStaysWhenTheLinksComeBack() {
    exists("a", "b");
    down("a", 10);
    down("b", 12);

    up("a", 10, 60);
    up("b", 12, 61);

    assertThat(told().subList(3, 5))
        .containsExactly("a 3 closed remote_unreachable", "b 2 closed remote_unreachable");
  }

  @Test
  void lateCauseIsMarkedSoThatNobodyIsAlertedOfIt() {
    exists("a");
    down("a", 10);

    up("a", 10, 60);
    up("a", 10, 90);

    assertThat(told)
        .extracting(RemoteSiteRules.Transition::isLateCause)
        .containsExactly(false, false, true);
  }

  @Test
  void nothingIsLeftOfLinksThatAreGoneAndEpisodesThatAreOver() {
    exists("a");
    down("a", 10);
    up("a", 10, 60);
    rules.onInput(site, new LinkUpdate("a", "dc2", at(70), true, new byte[0]));

    long forgottenAt = at(60) + RemoteSiteRules.FORGET_CLOSED_NANOS;
    assertThat(rules.onTimer(site, forgottenAt - 1)).isEqualTo(Step.keep(site, forgottenAt));
    assertThat(rules.onTimer(site, forgottenAt)).isEqualTo(Step.forget(List.of()));
  }
}
