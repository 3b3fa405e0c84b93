package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.paging.Page;
import io.tocsin.correlation.paging.PagingRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The alerts job with its partitions, its topic and a pager behind it, as the rules see them. It
 * may crash at any moment: then it goes on from an earlier checkpoint, in another order of the
 * partitions, while topic and pager keep what they were told.
 *
 * <p>A checkpoint is the number of inputs that were taken: the state there is what they make. A
 * crash before the first one goes back to nothing: no state, all events, and the topic from its
 * beginning, where all words are the job's own.
 */
final class CrashStory {
  private static final long DISORDER_NANOS = 2 * Nanos.PER_SECOND;

  /** Hours; a storm that is over is forgotten after a day. */
  private static final int MAX_ROUNDS_TO_SETTLE = 30;

  private final Random random;
  private final StormLimits limits;
  private final AlertTiming timing;
  private final List<Policy> policies;
  private final List<List<Signal>> partitions;

  private final List<Alert> topic = new ArrayList<>();
  private final Pager pager = new Pager();

  private Job job;
  private int[] offsets;
  private int toldOffset;
  private List<Checkpoint> checkpoints = new ArrayList<>();
  private boolean keepsCheckpoints = true;

  CrashStory(
      Random random,
      StormLimits limits,
      AlertTiming timing,
      List<Policy> policies,
      List<List<Signal>> partitions) {
    this.random = random;
    this.limits = limits;
    this.timing = timing;
    this.policies = policies;
    this.partitions = partitions;
    this.job = new Job();
    this.offsets = new int[partitions.size()];
    checkpoint();
  }

  /** The same, and every crash comes before the first checkpoint. */
  CrashStory withoutCheckpoints() {
    keepsCheckpoints = false;
    return this;
  }

  private record Checkpoint(int inputs, int[] offsets, int toldOffset) {}

  /** Reads everything, with so many crashes on the way, and lets the world settle. */
  void play(int crashes) {
    int remaining = partitions.stream().mapToInt(List::size).sum();
    Set<Integer> crashAt = new TreeSet<>();
    for (int i = 0; i < crashes; i++) {
      crashAt.add(1 + random.nextInt(remaining));
    }
    int read = 0;
    while (!hasReadAll()) {
      step();
      read++;
      if (crashAt.remove(read)) {
        crash();
      }
    }
    settle();
  }

  private boolean hasReadAll() {
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] < partitions.get(i).size()) {
        return false;
      }
    }
    return true;
  }

  private void step() {
    pager.until(pager.now + random.nextInt(400) * Nanos.PER_MILLI);
    switch (random.nextInt(10)) {
      case 0 -> checkpoint();
      case 1 -> flush();
      case 2, 3 -> readBack(1 + random.nextInt(4));
      case 4 -> job.take(new Reached(watermark()));
      default -> readSome();
    }
  }

  private void readSome() {
    int partition = random.nextInt(partitions.size());
    for (int i = random.nextInt(6); i > 0; i--) {
      if (offsets[partition] < partitions.get(partition).size()) {
        job.take(new Read(partitions.get(partition).get(offsets[partition]++)));
      }
    }
  }

  private void readBack(int words) {
    for (int i = 0; i < words && toldOffset < topic.size(); i++) {
      Alert told = topic.get(toldOffset++);
      if (!Tombstone.is(told)) {
        job.take(new Told(told));
      }
    }
  }

  /** Of the partition that is furthest behind; one that is read to its end holds nothing back. */
  private long watermark() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < offsets.length; i++) {
      List<Signal> partition = partitions.get(i);
      if (offsets[i] < partition.size()) {
        long newest =
            offsets[i] == 0
                ? Long.MIN_VALUE / 2
                : partition.get(offsets[i] - 1).getReceivedAtUnixNanos();
        least = Math.min(least, newest);
      }
    }
    return least == Long.MAX_VALUE ? job.watermark : least - DISORDER_NANOS;
  }

  private void flush() {
    topic.addAll(job.unsent);
    job.unsent.stream().filter(alert -> !Tombstone.is(alert)).forEach(pager::take);
    job.unsent.clear();
  }

  private void checkpoint() {
    flush();
    if (keepsCheckpoints || checkpoints.isEmpty()) {
      checkpoints.add(new Checkpoint(job.inputs.size(), offsets.clone(), toldOffset));
    }
  }

  private void crash() {
    Checkpoint from = checkpoints.get(Math.max(0, checkpoints.size() - 1 - random.nextInt(3)));
    checkpoints = new ArrayList<>(checkpoints.subList(0, checkpoints.indexOf(from) + 1));
    Job restored = new Job();
    job.inputs.subList(0, from.inputs()).forEach(restored::take);
    restored.unsent.clear();
    job = restored;
    offsets = from.offsets().clone();
    toldOffset = from.toldOffset();
  }

  /** Time goes on until nothing more is told. */
  private void settle() {
    long now =
        partitions.stream()
            .flatMap(List::stream)
            .mapToLong(Signal::getReceivedAtUnixNanos)
            .max()
            .orElseThrow();
    int rounds = 0;
    boolean isQuiet = false;
    while (!isQuiet) {
      if (rounds++ > MAX_ROUNDS_TO_SETTLE) {
        throw new AssertionError("the topic does not settle: " + job.state.strays());
      }
      int before = topic.size();
      now += Duration.ofHours(1).toNanos();
      job.take(new Reached(now));
      flush();
      readBack(Integer.MAX_VALUE);
      isQuiet = topic.size() == before && !job.state.strays().iterator().hasNext();
    }
    pager.until(pager.now + Duration.ofMinutes(5).toNanos());
  }

  /** Where each alert of the topic stands there, storms included; none that is forgotten. */
  Map<String, AlertState> topicStates() {
    Map<String, AlertState> states = new TreeMap<>();
    topicAlerts().forEach((fingerprint, alert) -> states.put(fingerprint, alert.getState()));
    return states;
  }

  /** Storms and alerts of trees that are over and that the topic still knows. */
  List<Alert> ownAlertsThatAreOver() {
    return topicAlerts().values().stream()
        .filter(alert -> Storms.isStorm(alert) || TreeAlerts.isTree(alert))
        .filter(alert -> alert.getState() == AlertState.ALERT_STATE_RESOLVED)
        .toList();
  }

  private Map<String, Alert> topicAlerts() {
    Map<String, Alert> alerts = new TreeMap<>();
    for (Alert alert : topic) {
      if (Tombstone.is(alert)) {
        alerts.remove(alert.getFingerprint());
      } else {
        alerts.put(alert.getFingerprint(), alert);
      }
    }
    return alerts;
  }

  /** Where each active alert stands in the gate, storms included. */
  Map<String, AlertState> heldStates() {
    Map<String, AlertState> states = new TreeMap<>();
    for (Map.Entry<String, GatedAlert> alert : job.state.alerts()) {
      if (alert.getValue().isActive()) {
        states.put(alert.getKey(), alert.getValue().toAlert().getState());
      }
    }
    for (String group : job.state.groups()) {
      Storm storm = job.state.group(group).storm();
      if (storm != null) {
        states.put(storm.own().getFingerprint(), storm.own().getState());
      }
    }
    return states;
  }

  /** Alerts that the pager rings for. */
  Set<String> paged() {
    return pager.ringing.stream().map(Alert::getFingerprint).collect(Collectors.toSet());
  }

  private sealed interface Input permits Read, Told, Reached {}

  private record Read(Signal signal) implements Input {}

  private record Told(Alert alert) implements Input {}

  private record Reached(long unixNanos) implements Input {}

  /** Rules and gate, with timers as Flink has them. */
  private final class Job {
    private final List<Input> inputs = new ArrayList<>();
    private final List<Alert> unsent = new ArrayList<>();
    private final AlertRules rules = new AlertRules(timing);
    private final Map<String, TrackedAlert> tracked = new HashMap<>();
    private final Map<String, Long> timers = new TreeMap<>();
    private final MemoryGateState state = new MemoryGateState();
    private final Gate gate = new Gate(limits, state, policies);
    private final TreeSet<Long> gateTimers = new TreeSet<>();
    private long watermark = Long.MIN_VALUE / 2;

    void take(Input input) {
      inputs.add(input);
      if (input instanceof Read read) {
        String fingerprint = Fingerprint.of(read.signal());
        follow(fingerprint, rules.onInput(tracked.get(fingerprint), read.signal()));
      } else if (input instanceof Told told) {
        followGate(gate.onTold(told.alert(), watermark));
      } else if (input instanceof Reached reached) {
        reach(reached.unixNanos());
      }
    }

    private void reach(long unixNanos) {
      long until = Math.max(watermark, unixNanos);
      boolean isDue = true;
      while (isDue) {
        isDue = false;
        for (String fingerprint : List.copyOf(timers.keySet())) {
          if (timers.get(fingerprint) != null && timers.get(fingerprint) <= until) {
            long due = timers.remove(fingerprint);
            follow(fingerprint, rules.onTimer(tracked.get(fingerprint), due));
            isDue = true;
          }
        }
      }
      watermark = until;
      while (!gateTimers.isEmpty() && gateTimers.first() <= until) {
        long due = gateTimers.pollFirst();
        followGate(gate.onTimer(Nanos.ofMillis(Nanos.toMillisUp(due))));
      }
    }

    private void follow(String fingerprint, Step<TrackedAlert, Alert> step) {
      if (step.state() == null) {
        tracked.remove(fingerprint);
        timers.remove(fingerprint);
      } else {
        tracked.put(fingerprint, step.state());
        if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
          timers.merge(fingerprint, step.nextTimerUnixNanos(), Math::min);
        }
      }
      step.decisions().forEach(alert -> followGate(gate.onAlert(alert, watermark)));
    }

    private void followGate(Step<GateState, Alert> step) {
      unsent.addAll(step.decisions());
      if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
        gateTimers.add(step.nextTimerUnixNanos());
      }
    }
  }

  /** Paging and what it made Alertmanager ring for: an alert there is its labels. */
  private static final class Pager {
    private final PagingRules rules = new PagingRules(Duration.ofSeconds(60));
    private final Map<String, Page> pages = new TreeMap<>();
    private final Map<String, Long> timers = new TreeMap<>();
    private final List<Alert> ringing = new ArrayList<>();
    private long now;

    void take(Alert alert) {
      String fingerprint = alert.getFingerprint();
      follow(fingerprint, rules.onInput(pages.get(fingerprint), new PagingRules.Word(alert, now)));
    }

    void until(long unixNanos) {
      now = unixNanos;
      for (String fingerprint : List.copyOf(timers.keySet())) {
        if (timers.get(fingerprint) <= now) {
          timers.remove(fingerprint);
          follow(fingerprint, rules.onTimer(pages.get(fingerprint), now));
        }
      }
    }

    private void follow(String fingerprint, Step<Page, Alert> step) {
      if (step.state() == null) {
        pages.remove(fingerprint);
      } else {
        pages.put(fingerprint, step.state());
        if (step.nextTimerUnixNanos() != Step.NO_TIMER) {
          timers.merge(fingerprint, step.nextTimerUnixNanos(), Math::min);
        }
      }
      for (Alert post : step.decisions()) {
        ringing.removeIf(other -> isSameThere(other, post));
        if (post.getState() == AlertState.ALERT_STATE_OPEN
            || post.getState() == AlertState.ALERT_STATE_FLAPPING) {
          ringing.add(post);
        }
      }
    }

    private static boolean isSameThere(Alert one, Alert other) {
      return one.getFingerprint().equals(other.getFingerprint())
          && one.getSeverity() == other.getSeverity()
          && one.getLabelsMap().equals(other.getLabelsMap());
    }
  }

  @Override
  public String toString() {
    return "offsets %s of %s, topic %s"
        .formatted(
            Arrays.toString(offsets),
            partitions.stream().map(List::size).toList(),
            topic.stream()
                .map(a -> a.getFingerprint() + " " + a.getState() + " " + a.getVersion())
                .toList());
  }
}
