package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.clickhouse.data.ClickHouseFormat;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockSerializerTest {
  private static final Block BLOCK =
      new Block(
          "syslog",
          List.of("given_event_id", "message"),
          3,
          ClickHouseFormat.Native,
          new byte[] {1, 2, (byte) 0xff},
          "6a5fd1e5-0000-4000-8000-000000000001",
          List.of(
              new Origin.Stretch(
                  new Origin("events-syslog-v1", 2, "lab", 7, "syslog-udp"), 11, 14, 2),
              new Origin.Stretch(Origin.UNKNOWN, 0, 0, 1)));

  private final BlockSerializer serializer = new BlockSerializer();

  @Test
  void blockSurvivesACheckpoint() throws IOException {
    assertSame(serializer.deserialize(serializer.getVersion(), serializer.serialize(BLOCK)));
  }

  /** Checkpoints of released versions must be readable for ever: their files never change. */
  @Test
  void blockOfVersion2IsWrittenAndReadAsTheFileHasIt() throws IOException {
    byte[] version2 = file("/block-v2.bin");

    assertThat(serializer.serialize(BLOCK)).isEqualTo(version2);
    assertSame(serializer.deserialize(2, version2));
  }

  @Test
  void blockOfVersion1IsTheSameInRowBinary() throws IOException {
    Block read = serializer.deserialize(1, file("/block-v1.bin"));

    assertThat(read.format()).isEqualTo(ClickHouseFormat.RowBinary);
    assertThat(read).usingRecursiveComparison().ignoringFields("format").isEqualTo(BLOCK);
  }

  private byte[] file(String name) throws IOException {
    try (InputStream file = getClass().getResourceAsStream(name)) {
      return file.readAllBytes();
    }
  }

  @Test
  void nameThatIsTooLongToBeOneIsCutAndGoesIntoACheckpoint() throws IOException {
    String longest = "\uffff".repeat(1_000);
    String longer = "\uffff".repeat(1 << 16);
    Origin hostile = new Origin("events-syslog-v1", 0, longer, 1, longer);
    Block block =
        new Block(
            "syslog",
            List.of(),
            1,
            ClickHouseFormat.Native,
            new byte[0],
            "t",
            List.of(new Origin.Stretch(hostile, 0, 0, 1)));

    Block read = serializer.deserialize(serializer.getVersion(), serializer.serialize(block));

    assertThat(read.origins().get(0).origin())
        .isEqualTo(new Origin("events-syslog-v1", 0, longest, 1, longest));
  }

  @Test
  void blockOfANewerVersionIsRefused() {
    assertThatThrownBy(() -> serializer.deserialize(3, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 3");
  }

  private static void assertSame(Block block) {
    assertThat(block).usingRecursiveComparison().isEqualTo(BLOCK);
  }
}
