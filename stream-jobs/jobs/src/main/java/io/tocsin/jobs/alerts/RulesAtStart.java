package io.tocsin.jobs.alerts;

import io.tocsin.kafka.KafkaConnection;
import io.tocsin.rules.topic.RulesTopic;
import io.tocsin.rules.v1.RuleDocument;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * Reads the documents in force before the first event is matched, so that no event is missed
 * because its rule came after it.
 */
@FunctionalInterface
public interface RulesAtStart extends Serializable {
  /** How long reading may take: far less than a task may take to start. */
  Duration DEADLINE = Duration.ofSeconds(30);

  /**
   * What topic rules-v1 holds.
   *
   * @param documents newest document of each name that has one
   * @param endOffset offset of the next record to come
   */
  record Contents(List<RuleDocument> documents, long endOffset) {}

  /** Reads the topic from its beginning to where it ends now. */
  Contents read();

  /** Reads on where the topic ended; here nothing comes any more. */
  default Later after(Contents contents) {
    return List::of;
  }

  /** What is pushed later. */
  @FunctionalInterface
  interface Later extends AutoCloseable {
    /** Documents in order, one without text for each that is withdrawn. It does not wait. */
    List<RuleDocument> poll();

    @Override
    default void close() {
      // Nothing is held.
    }
  }

  /**
   * Reads it from a cluster. Kafka away, or no such topic, fails the start, which Flink tries
   * again.
   *
   * @param connection how it is reached
   */
  static RulesAtStart of(KafkaConnection connection) {
    return new RulesAtStart() {
      @Override
      public Contents read() {
        RulesTopic.Contents contents = new RulesTopic(connection, DEADLINE).read();
        return new Contents(List.copyOf(contents.documents().values()), contents.endOffset());
      }

      @Override
      public Later after(Contents contents) {
        RulesTopic.Follower follower =
            new RulesTopic(connection, DEADLINE).follow(contents.endOffset());
        return new Later() {
          @Override
          public List<RuleDocument> poll() {
            return follower.poll();
          }

          @Override
          public void close() {
            follower.close();
          }
        };
      }
    };
  }
}
