package io.tocsin.embedded.security;

import static org.apache.kafka.common.acl.AclOperation.ALTER;
import static org.apache.kafka.common.acl.AclOperation.ALTER_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.PatternType.PREFIXED;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What each user may do at Kafka and no more: what the files of {@code schemas/topics} say of who
 * writes and reads, and what needs no topic's name. deploy/README.md has it as a table.
 */
public final class KafkaPermissions {
  private static final String ANY = "*";
  private static final ObjectReader TOPIC_FILE =
      YAMLMapper.builder()
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .build()
          .readerFor(Topic.class);

  private final List<Topic> topics;

  /**
   * One file of schemas/topics, as far as it matters here.
   *
   * @param name of the topic
   * @param writers who may write it
   * @param readers who may read it
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Topic(
      String name,
      @JsonProperty(value = "written_by", required = true) Set<KafkaUser> writers,
      @JsonProperty(value = "read_by", required = true) Set<KafkaUser> readers) {}

  private KafkaPermissions(List<Topic> topics) {
    this.topics = topics;
  }

  /**
   * Those that the topics of a folder need.
   *
   * @param schemas like schemas/ of the repository
   */
  public static KafkaPermissions of(Path schemas) {
    List<Topic> topics = new ArrayList<>();
    try (Stream<Path> files = Files.list(schemas.resolve("topics"))) {
      for (Path file : files.sorted().toList()) {
        topics.add(TOPIC_FILE.readValue(file.toFile()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("who writes and reads the topics is not told", e);
    }
    return new KafkaPermissions(topics);
  }

  /** Names of all topics. */
  public Set<String> topics() {
    return topics.stream().map(Topic::name).collect(Collectors.toSet());
  }

  /** Names of the topics that a user may write. */
  public Set<String> writes(KafkaUser user) {
    return topics.stream()
        .filter(topic -> topic.writers().contains(user))
        .map(Topic::name)
        .collect(Collectors.toSet());
  }

  /** Names of the topics that a user may read. */
  public Set<String> reads(KafkaUser user) {
    return topics.stream()
        .filter(topic -> topic.readers().contains(user))
        .map(Topic::name)
        .collect(Collectors.toSet());
  }

  /** All of it, as Kafka takes it. */
  public List<AclBinding> acls() {
    List<AclBinding> acls = new ArrayList<>();
    for (KafkaUser user : KafkaUser.values()) {
      reads(user).forEach(topic -> acls.add(acl(user, READ, TOPIC, LITERAL, topic)));
      writes(user).forEach(topic -> acls.add(acl(user, WRITE, TOPIC, LITERAL, topic)));
    }
    for (AclOperation each : List.of(CREATE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS, ALTER)) {
      acls.add(acl(KafkaUser.SCHEMA, each, TOPIC, LITERAL, ANY));
    }
    acls.add(acl(KafkaUser.JOBS, READ, GROUP, PREFIXED, "tocsin-"));
    return acls;
  }

  private static AclBinding acl(
      KafkaUser user,
      AclOperation operation,
      ResourceType type,
      PatternType pattern,
      String resource) {
    return new AclBinding(
        new ResourcePattern(type, resource, pattern),
        new AccessControlEntry("User:" + user.login(), ANY, operation, AclPermissionType.ALLOW));
  }
}
