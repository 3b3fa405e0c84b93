package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.model.EnumWords;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of {@code acknowledgements-v1} to Acknowledgements, said when the broker took them. One
 * with a field that is larger than it may be is none.
 */
public final class AcknowledgementDeserializer extends MessageDeserializer<Acknowledgement> {
  static final int MAX_ID = 100;
  static final int MAX_BY = 100;
  static final int MAX_NOTE = 1_000;

  private static final int FINGERPRINT_LENGTH = 32;

  /** For the source of the topic. */
  public AcknowledgementDeserializer() {
    super(Acknowledgement.class, "find out who else writes to the topic");
  }

  @Override
  void read(ConsumerRecord<byte[], byte[]> record, Collector<Acknowledgement> out)
      throws InvalidProtocolBufferException {
    byte[] value = record.value() == null ? new byte[0] : record.value();
    Acknowledgement said = Acknowledgement.parseFrom(value);
    if (!isUsable(said)) {
      throw new InvalidProtocolBufferException("a field is missing or too long");
    }
    // The last nanosecond of the broker's millisecond: later than what it took before.
    long saidAt = TimeUnit.MILLISECONDS.toNanos(record.timestamp() + 1) - 1;
    out.collect(said.toBuilder().setSaidAtUnixNanos(saidAt).build());
  }

  private static boolean isUsable(Acknowledgement said) {
    String id = said.getAcknowledgementId();
    return !id.isEmpty()
        && id.length() <= MAX_ID
        && said.getFingerprint().length() == FINGERPRINT_LENGTH
        && EnumWords.isSpecified(said.getAction())
        && !said.getBy().isEmpty()
        && said.getBy().length() <= MAX_BY
        && said.getNote().length() <= MAX_NOTE;
  }
}
