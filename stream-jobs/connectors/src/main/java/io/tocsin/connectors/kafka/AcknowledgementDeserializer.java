package io.tocsin.connectors.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.model.EnumWords;
import io.tocsin.model.ProtobufTypeInfo;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of {@code acknowledgements-v1} to Acknowledgements, said when the broker took them. What
 * is none, or larger than one may be, is counted, logged and skipped.
 */
public final class AcknowledgementDeserializer
    implements KafkaRecordDeserializationSchema<Acknowledgement> {
  static final int MAX_ID = 100;
  static final int MAX_BY = 100;
  static final int MAX_NOTE = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(AcknowledgementDeserializer.class);
  private static final int FINGERPRINT_LENGTH = 32;

  private transient Counter undecodableRecords;

  @Override
  public void open(InitializationContext context) {
    undecodableRecords =
        context.getMetricGroup().counter(EventDeserializer.UNDECODABLE_RECORDS_TOTAL);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Acknowledgement> out) {
    byte[] value = record.value() == null ? new byte[0] : record.value();
    try {
      Acknowledgement said = Acknowledgement.parseFrom(value);
      if (isUsable(said)) {
        // The last nanosecond of the broker's millisecond: later than what it took before.
        long saidAt = TimeUnit.MILLISECONDS.toNanos(record.timestamp() + 1) - 1;
        out.collect(said.toBuilder().setSaidAtUnixNanos(saidAt).build());
      } else {
        skip(record, "a field is missing or too long", null);
      }
    } catch (InvalidProtocolBufferException e) {
      skip(record, "it does not decode", e);
    }
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

  private void skip(ConsumerRecord<byte[], byte[]> record, String detail, Exception cause) {
    undecodableRecords.inc();
    LOG.error(
        "record {}-{}-{} is no tocsin.alerts.v1.Acknowledgement and is skipped: {}; find out who"
            + " else writes to the topic",
        record.topic(),
        record.partition(),
        record.offset(),
        detail,
        cause);
  }

  @Override
  public TypeInformation<Acknowledgement> getProducedType() {
    return ProtobufTypeInfo.forMessage(Acknowledgement.class);
  }
}
