package io.tocsin.correlation.wan.scoring;

import io.tocsin.correlation.wan.scoring.LabelledSeries.Shape;
import io.tocsin.correlation.wan.scoring.LabelledSeries.Trouble;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Makes labelled series from a seed: links of many lengths and kinds of noise, each with none to
 * three troubles, and with what must not be called one: single spikes, spikes of up to three
 * seconds, one or two lost probes, slow drift, and steps down.
 */
final class SeriesGenerator {
  private static final int SECONDS = 1_500;
  private static final int WARM_UP = 120;
  private static final int LEAST_TROUBLE = 30;
  private static final int MOST_TROUBLE = 240;
  private static final int REST = 150;

  /** How round-trip times vary while nothing is wrong. */
  private enum Noise {
    GAUSSIAN,
    QUEUEING,
    WANDERING,
    SPIKY,
    COARSE,
    DRIFTING
  }

  private final Random random;

  SeriesGenerator(long seed) {
    this.random = new Random(seed);
  }

  /** So many series; one in six has nothing wrong. */
  List<LabelledSeries> series(int count) {
    List<LabelledSeries> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Noise noise = Noise.values()[i % Noise.values().length];
      all.add(next(noise, i, i / Noise.values().length % 6 == 0));
    }
    return all;
  }

  /** A day on a link with nothing wrong. */
  float[] ordinaryDay() {
    Noise noise = Noise.values()[random.nextInt(Noise.values().length)];
    return ordinary(noise, 86_400, new Link(random));
  }

  private LabelledSeries next(Noise noise, int number, boolean isClean) {
    Link link = new Link(random);
    float[] rtts = ordinary(noise, SECONDS, link);
    List<Trouble> troubles = new ArrayList<>();
    int from = WARM_UP + random.nextInt(120);
    int count = isClean ? 0 : 1 + random.nextInt(3);
    while (troubles.size() < count) {
      int seconds = LEAST_TROUBLE + random.nextInt(MOST_TROUBLE - LEAST_TROUBLE);
      if (from + seconds + REST > SECONDS) {
        break;
      }
      Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
      troubles.add(spoil(rtts, link, shape, from, seconds));
      from += seconds + REST + random.nextInt(120);
    }
    return new LabelledSeries(noise.name().toLowerCase(Locale.ROOT) + "-" + number, rtts, troubles);
  }

  /** What a link is like. */
  private static final class Link {
    final double baseMs;
    final double noiseMs;
    final double lossRatio;

    Link(Random random) {
      baseMs = 2 * Math.pow(100, random.nextDouble());
      noiseMs = baseMs * (0.005 + 0.045 * random.nextDouble());
      double[] usual = {0, 0, 0, 0.001, 0.003, 0.0111};
      lossRatio = usual[random.nextInt(usual.length)];
    }
  }

  private float[] ordinary(Noise noise, int seconds, Link link) {
    float[] rtts = new float[seconds];
    double wander = 0;
    double phase = random.nextDouble() * 2 * Math.PI;
    for (int t = 0; t < seconds; t++) {
      wander = 0.9 * wander + 0.4 * random.nextGaussian();
      double excess =
          switch (noise) {
            case GAUSSIAN -> random.nextGaussian();
            case QUEUEING -> -1.5 * Math.log(1 - random.nextDouble());
            case WANDERING -> wander;
            case SPIKY -> random.nextGaussian() * 0.5 + spike(0.01);
            case COARSE -> random.nextGaussian();
            case DRIFTING -> random.nextGaussian() + 2 * Math.sin(phase + t * 2 * Math.PI / 7_200);
          };
      double rtt = link.baseMs + link.noiseMs * (excess + spike(0.002));
      rtt = Math.max(link.baseMs * 0.7, rtt);
      rtts[t] = (float) (noise == Noise.COARSE ? Math.max(1, Math.rint(rtt)) : rtt);
      if (random.nextDouble() < link.lossRatio) {
        rtts[t] = Float.NaN;
      }
    }
    disturb(rtts, link);
    return rtts;
  }

  private double spike(double probability) {
    return random.nextDouble() < probability ? 10 + 60 * random.nextDouble() : 0;
  }

  /** Spikes of up to three seconds and one or two lost probes in a row: every WAN has them. */
  private void disturb(float[] rtts, Link link) {
    int t = 200 + random.nextInt(600);
    while (t + 3 < rtts.length) {
      int seconds = 1 + random.nextInt(3);
      boolean isLost = random.nextInt(3) == 0;
      for (int i = 0; i < seconds; i++) {
        rtts[t + i] =
            isLost && i < 2
                ? Float.NaN
                : (float) (rtts[t + i] + link.baseMs * (0.5 + random.nextDouble()));
      }
      t += 200 + random.nextInt(1_200);
    }
  }

  private Trouble spoil(float[] rtts, Link link, Shape shape, int from, int seconds) {
    int to = from + seconds;
    double rise = Math.max(6, link.baseMs * (0.5 + 2.5 * random.nextDouble())) + 6 * link.noiseMs;
    int period = 6 + random.nextInt(8);
    double lossRatio = 0.3 + 0.5 * random.nextDouble();
    int end = shape == Shape.PATH_CHANGE ? rtts.length : to;
    boolean isLosing = false;
    for (int t = from; t < end; t++) {
      double share = (t - from) / (double) seconds;
      double more =
          switch (shape) {
            case STEP, PATH_CHANGE -> rise;
            case NOISY_STEP -> rise * (1 + 0.3 * random.nextGaussian());
            case SATURATION -> rise * (0.8 + 0.4 * random.nextDouble());
            case RAMP -> rise * Math.min(1, 0.5 + share);
            case BURSTS -> (t - from) % period < period * 2 / 3 ? rise : 0;
            case SAWTOOTH -> rise * (0.6 + 0.8 * ((t - from) % period) / period);
            case JITTER -> rise * random.nextDouble();
            case LOSS, LOSS_IN_BURSTS, DOWN -> 0;
          };
      rtts[t] = (float) (rtts[t] + Math.max(0, more));
      isLosing = isLosing ? random.nextDouble() < 0.6 : random.nextDouble() < 0.25;
      boolean isLost =
          switch (shape) {
            case LOSS -> random.nextDouble() < lossRatio;
            case LOSS_IN_BURSTS -> isLosing;
            case SATURATION -> random.nextDouble() < 0.1;
            case DOWN -> true;
            default -> false;
          };
      rtts[t] = isLost ? Float.NaN : rtts[t];
    }
    return new Trouble(shape, from, to);
  }
}
