package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;

/**
 * A word of the topic that is not what the gate holds, or of a storm that is over.
 *
 * @param told bytes of the alert as the topic has it
 * @param dueUnixNanos when the gate tells it again, unless the topic agrees before; or forgets it
 */
public record Stray(byte[] told, long dueUnixNanos) {
  Alert alert() {
    try {
      return Alert.parseFrom(told);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of the gate holds bytes that are no alert", e);
    }
  }
}
