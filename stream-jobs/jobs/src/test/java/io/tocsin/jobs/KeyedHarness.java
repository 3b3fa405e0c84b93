package io.tocsin.jobs;

import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** A keyed operator with one input in Flink's harness. */
public final class KeyedHarness {
  private KeyedHarness() {}

  /** One that is not open yet, and can be given state. */
  public static <I, O> KeyedOneInputStreamOperatorTestHarness<String, I, O> of(
      KeyedProcessFunction<String, I, O> function,
      KeySelector<I, String> key,
      TypeInformation<O> output)
      throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(function), key, Types.STRING);
    harness.setup(output.createSerializer(new SerializerConfigImpl()));
    return harness;
  }
}
