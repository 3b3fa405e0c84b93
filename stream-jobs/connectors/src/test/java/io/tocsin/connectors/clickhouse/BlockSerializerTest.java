package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
          new byte[] {1, 2, (byte) 0xff},
          "6a5fd1e5-0000-4000-8000-000000000001");

  private final BlockSerializer serializer = new BlockSerializer();

  @Test
  void blockSurvivesACheckpoint() throws IOException {
    assertSame(serializer.deserialize(serializer.getVersion(), serializer.serialize(BLOCK)));
  }

  /** Checkpoints of released versions must be readable for ever: their files never change. */
  @Test
  void blockOfVersion1IsWrittenAndReadAsTheFileHasIt() throws IOException {
    try (InputStream file = getClass().getResourceAsStream("/block-v1.bin")) {
      byte[] version1 = file.readAllBytes();

      assertThat(serializer.serialize(BLOCK)).isEqualTo(version1);
      assertSame(serializer.deserialize(1, version1));
    }
  }

  @Test
  void blockOfANewerVersionIsRefused() {
    assertThatThrownBy(() -> serializer.deserialize(2, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2");
  }

  private static void assertSame(Block block) {
    assertThat(block).usingRecursiveComparison().isEqualTo(BLOCK);
  }
}
