package io.tocsin.jobs.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.wan.v1.WanEpisode;
import io.tocsin.wan.v1.WanEpisode.Cause;
import io.tocsin.wan.v1.WanEpisode.State;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Order, state and timers of the operator; the rules have their own tests. */
class RemoteSitesFunctionTest {
  private KeyedOneInputStreamOperatorTestHarness<String, LinkUpdate, WanEpisode> harness;

  @BeforeEach
  void open() throws Exception {
    harness =
        KeyedHarness.of(
            new RemoteSitesFunction(),
            LinkUpdate::place,
            ProtobufTypeInfo.forMessage(WanEpisode.class));
    harness.open();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  /** One instance of the links' operator has caught up before the other begins. */
  @Test
  void linksThatWereDownTogetherBlameThePlaceThoughOneIsToldToItsEndFirst() throws Exception {
    for (String link : new String[] {"a", "b"}) {
      send(new LinkUpdate(link, "dc2", nanos(1), false, new byte[0]), 1);
      send(LinkUpdate.of(down(link, State.STATE_OPEN, 15)), 15);
      send(LinkUpdate.of(down(link, State.STATE_CLOSED, 40)), 40);
    }
    assertThat(harness.extractOutputValues()).isEmpty();

    harness.processWatermark(NOON.plusSeconds(60).toEpochMilli());

    assertThat(harness.extractOutputValues())
        .filteredOn(episode -> episode.getState() == State.STATE_CLOSED)
        .extracting(WanEpisode::getCause)
        .containsExactly(Cause.CAUSE_REMOTE_UNREACHABLE, Cause.CAUSE_REMOTE_UNREACHABLE);
  }

  @Test
  void nothingIsLeftOfLinksThatAreForgotten() throws Exception {
    send(new LinkUpdate("a", "dc2", nanos(1), false, new byte[0]), 1);
    send(LinkUpdate.of(down("a", State.STATE_OPEN, 15)), 15);
    send(LinkUpdate.of(down("a", State.STATE_CLOSED, 40)), 40);
    send(new LinkUpdate("a", "dc2", nanos(40), true, new byte[0]), 40);

    harness.processWatermark(NOON.plusSeconds(60).toEpochMilli());
    assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
    harness.processWatermark(NOON.plusSeconds(400).toEpochMilli());

    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private void send(LinkUpdate update, int second) throws Exception {
    harness.processElement(update, NOON.plusSeconds(second).toEpochMilli());
  }

  private static WanEpisode down(String link, State state, int second) {
    WanEpisode.Builder episode =
        WanEpisode.newBuilder()
            .setEpisodeId(link + "/down/10")
            .setLinkId(link)
            .setRemoteSite("dc2")
            .setKind(WanEpisode.Kind.KIND_DOWN)
            .setState(state)
            .setCause(Cause.CAUSE_UNEXPLAINED)
            .setStartedAtUnixNanos(nanos(10))
            .setChangedAtUnixNanos(nanos(second));
    if (state == State.STATE_CLOSED) {
      episode.setEndedAtUnixNanos(nanos(second));
    }
    return episode.build();
  }

  private static long nanos(int second) {
    return unixNanos(NOON.plusSeconds(second));
  }
}
