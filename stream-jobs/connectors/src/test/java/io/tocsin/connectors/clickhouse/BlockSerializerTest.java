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

  /**
   * Checkpoints of released versions must be readable for ever: the files are never written again.
   * This one says event_id.
   */
  @Test
  void blockOfVersion1IsStillReadByTheNamesThatColumnsHaveNow() throws IOException {
    try (InputStream file = getClass().getResourceAsStream("/block-v1.bin")) {
      assertSame(serializer.deserialize(1, file.readAllBytes()));
    }
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
