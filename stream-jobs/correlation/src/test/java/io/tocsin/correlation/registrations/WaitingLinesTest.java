package io.tocsin.correlation.registrations;

import static io.tocsin.correlation.registrations.RegistrationStory.MAC;
import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.DhcpEvents;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Lines of a server's log that tell of a request before the wire shows which one it was. */
class WaitingLinesTest {
  private final DhcpEvents client = new DhcpEvents(MAC, "10.1.2.3", 60);

  private static Instant after(long millis) {
    return NOON.plusMillis(millis);
  }

  private Event[] exchange() {
    return RegistrationStory.exchange(client);
  }

  /** The server logs acknowledgements that its host does not let out. */
  @Test
  void rebindThatIsCapturedAfterItWasLoggedIsSeen() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(
        client.renew(after(30_000)),
        DhcpEvents.logged(client.ack(after(30_010)), after(30_010)),
        DhcpEvents.logged(client.rebind(after(33_010)), after(33_010)),
        DhcpEvents.logged(client.ack(after(33_020)), after(33_020)),
        client.rebind(after(33_000)));

    assertThat(story.observed()).containsOnlyOnce(Kind.REBOUND);
    assertThat(story.told()).endsWith("bound by ack", "rebinding by request");
    assertThat(story.until(after(33_020)).told())
        .endsWith("bound by ack", "rebinding by request", "bound by ack");
  }

  @Test
  void rebindThatTheLogShowedByItsTimeIsNotCountedAgainByTheCapture() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(DhcpEvents.logged(client.rebind(NOON.plusSeconds(53)), NOON.plusSeconds(53)));
    story.until(NOON.plusSeconds(53)).then(client.rebind(NOON.plusSeconds(53).minusMillis(5)));

    assertThat(story.observed()).containsOnlyOnce(Kind.REBOUND);
  }

  @Test
  void requestThatOnlyALogShowsIsToldOnceAndWhenItsTimeHasCome() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    Event request = DhcpEvents.logged(client.renew(after(30_000)), after(30_000));
    Event ack = DhcpEvents.logged(client.ack(after(30_010)), after(30_010));
    story.then(request, request, ack).until(after(29_999));
    assertThat(story.decisions()).hasSize(3);

    story.until(after(30_010)).then(request, ack);

    assertThat(story.told()).hasSize(5).endsWith("renewing by request", "bound by ack");
    assertThat(story.state().waiting).isEmpty();
  }

  @Test
  void requestOfALogComesBeforeTheAnswerThatTheWireShows() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(
        DhcpEvents.logged(client.renew(after(30_000)), after(30_000)), client.ack(after(30_010)));

    assertThat(story.told()).endsWith("renewing by request", "bound by ack");
    assertThat(story.state().waiting).isEmpty();
  }

  @Test
  void logWaitsForNobodyWhereTheWireIsNotHeard() {
    RegistrationStory story = new RegistrationStory();
    for (Event event : exchange()) {
      story.then(DhcpEvents.logged(event, after(0)));
    }
    client.transaction(2);
    story.then(DhcpEvents.logged(client.renew(after(30_000)), after(30_000)));

    assertThat(story.told()).last().isEqualTo("renewing by request");
  }

  @Test
  void requestOfALogIsToldByTheTimeSinceTheLease() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(
        DhcpEvents.logged(client.renew(NOON.plusSeconds(31)), NOON.plusSeconds(31)),
        DhcpEvents.logged(client.rebind(NOON.plusSeconds(53)), NOON.plusSeconds(53)));

    assertThat(story.until(NOON.plusSeconds(53)).told())
        .endsWith("renewing by request", "rebinding by request");
  }
}
