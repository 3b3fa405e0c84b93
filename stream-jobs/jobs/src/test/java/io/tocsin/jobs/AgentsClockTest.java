package io.tocsin.jobs;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.junit.jupiter.api.Test;

class AgentsClockTest {
  /** The end of time from a register would fire every timer as soon as the events are idle. */
  @Test
  void whatHasNoTimeIsIdleAndTellsNoTime() {
    Told told = new Told();
    WatermarkGenerator<String> generator =
        AgentsClock.<String>timeless().createWatermarkGenerator(null);

    generator.onPeriodicEmit(told);
    generator.onEvent("document", NOON.toEpochMilli(), told);
    generator.onPeriodicEmit(told);

    assertThat(told.words).containsOnly("idle").isNotEmpty();
  }

  private static final class Told implements WatermarkOutput {
    private final List<String> words = new ArrayList<>();

    @Override
    public void emitWatermark(Watermark watermark) {
      words.add(watermark.toString());
    }

    @Override
    public void markIdle() {
      words.add("idle");
    }

    @Override
    public void markActive() {
      words.add("active");
    }
  }
}
