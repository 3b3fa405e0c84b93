package io.tocsin.connectors.clickhouse;

import com.clickhouse.data.ClickHouseFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Blocks as they lie in checkpoints: table, number of columns, columns, token, format (each as
 * modified UTF-8 with a two-byte length), rows (int), number of bytes (int), bytes, number of
 * origins, and of each topic, partition (int), agent, boot, listener, first and last offset (long
 * each), rows (int); integers big-endian. Version 1 has no format: it is RowBinary. A new version
 * keeps reading those of releases before it, and a test keeps a blob of each.
 */
final class BlockSerializer implements SimpleVersionedSerializer<Block> {
  static final int CURRENT_VERSION = 2;

  /** Whose rows are RowBinary. */
  private static final int WITHOUT_FORMAT = 1;

  @Override
  public int getVersion() {
    return CURRENT_VERSION;
  }

  @Override
  public byte[] serialize(Block block) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(1024 + block.zstdRows().length);
    out.writeUTF(block.table());
    out.writeInt(block.columns().size());
    for (String column : block.columns()) {
      out.writeUTF(column);
    }
    out.writeUTF(block.deduplicationToken());
    out.writeUTF(block.format().name());
    out.writeInt(block.rows());
    out.writeInt(block.zstdRows().length);
    out.write(block.zstdRows());
    out.writeInt(block.origins().size());
    for (Origin.Stretch stretch : block.origins()) {
      write(stretch, out);
    }
    return out.getCopyOfBuffer();
  }

  private static void write(Origin.Stretch stretch, DataOutputSerializer out) throws IOException {
    Origin origin = stretch.origin();
    out.writeUTF(origin.topic());
    out.writeInt(origin.partition());
    out.writeUTF(origin.agentId());
    out.writeLong(origin.bootId());
    out.writeUTF(origin.listener());
    out.writeLong(stretch.firstOffset());
    out.writeLong(stretch.lastOffset());
    out.writeInt(stretch.rows());
  }

  private static Origin.Stretch readStretch(DataInputDeserializer in) throws IOException {
    Origin origin =
        new Origin(in.readUTF(), in.readInt(), in.readUTF(), in.readLong(), in.readUTF());
    return new Origin.Stretch(origin, in.readLong(), in.readLong(), in.readInt());
  }

  @Override
  public Block deserialize(int version, byte[] serialized) throws IOException {
    if (version < WITHOUT_FORMAT || version > CURRENT_VERSION) {
      throw new IOException(
          "checkpoint holds a block of version "
              + version
              + ", this build reads versions "
              + WITHOUT_FORMAT
              + " to "
              + CURRENT_VERSION
              + ": restore it with the build that wrote it, and stop that with a savepoint after a drain");
    }
    DataInputDeserializer in = new DataInputDeserializer(serialized);
    String table = in.readUTF();
    int columnCount = in.readInt();
    List<String> columns = new ArrayList<>(columnCount);
    for (int i = 0; i < columnCount; i++) {
      columns.add(in.readUTF());
    }
    String token = in.readUTF();
    ClickHouseFormat format =
        version == WITHOUT_FORMAT
            ? ClickHouseFormat.RowBinary
            : ClickHouseFormat.valueOf(in.readUTF());
    int rows = in.readInt();
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    int originCount = in.readInt();
    List<Origin.Stretch> origins = new ArrayList<>(originCount);
    for (int i = 0; i < originCount; i++) {
      origins.add(readStretch(in));
    }
    return new Block(table, List.copyOf(columns), rows, format, bytes, token, List.copyOf(origins));
  }
}
