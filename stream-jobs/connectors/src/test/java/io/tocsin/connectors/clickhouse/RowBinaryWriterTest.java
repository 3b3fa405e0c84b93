package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bytes as ClickHouse documents RowBinary; an integration test shows that the server reads them.
 */
class RowBinaryWriterTest {
  @Test
  void stringsAreLengthAndUtf8() {
    assertThat(hex(row -> row.string("aü"))).isEqualTo("03" + "61c3bc");
    assertThat(hex(row -> row.string(""))).isEqualTo("00");
    assertThat(hex(row -> row.string(ByteString.copyFrom(new byte[] {0, -1})))).isEqualTo("0200ff");
  }

  @ParameterizedTest
  @CsvSource({"127, 7f", "128, 8001", "300, ac02", "70000, f0a204"})
  void lengthsAreLeb128(int length, String prefix) {
    assertThat(hex(row -> row.string("x".repeat(length)))).startsWith(prefix + "78");
  }

  @Test
  void integersAreLittleEndian() {
    assertThat(hex(row -> row.uint64(0x0102030405060708L))).isEqualTo("0807060504030201");
    assertThat(hex(row -> row.uint64(-1))).isEqualTo("ffffffffffffffff");
  }

  @Test
  void nullableValuesHaveAFlagInFront() {
    assertThat(hex(row -> row.nullableUint64(true, 1))).isEqualTo("00" + "0100000000000000");
    assertThat(hex(row -> row.nullableUint64(false, 1))).isEqualTo("01");
    assertThat(hex(row -> row.nullableDateTime64Nanos(true, 2)))
        .isEqualTo("00" + "0200000000000000");
    assertThat(hex(row -> row.nullableDateTime64Nanos(false, 0))).isEqualTo("01");
  }

  @Test
  void addressesAreSixteenBytesInNetworkOrder() {
    byte[] ipv4 = {(byte) 192, 0, 2, 18};
    assertThat(hex(row -> row.ipv6(ByteString.copyFrom(ipv4))))
        .isEqualTo("00000000000000000000ffffc0000212");
    assertThat(hex(row -> row.ipv6(ByteString.EMPTY))).isEqualTo("0".repeat(32));
    byte[] ipv6 = HexFormat.of().parseHex("20010db8000000000000000000000001");
    assertThat(hex(row -> row.ipv6(ByteString.copyFrom(ipv6))))
        .isEqualTo("20010db8000000000000000000000001");
  }

  @Test
  void mapsAreCountKeyValue() {
    assertThat(hex(row -> row.stringMap(Map.of("k", "v")))).isEqualTo("01" + "016b" + "0176");
    assertThat(hex(row -> row.stringMap(Map.of()))).isEqualTo("00");
  }

  @Test
  void enumsAreOneByteWithinTheirRange() {
    assertThat(hex(row -> row.enum8("severity", 6, 1, 6))).isEqualTo("06");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowBinaryWriter(8).enum8("severity", 7, 1, 6))
        .withMessage("severity is 7: the table knows 1 to 6");
  }

  @Test
  void valuesThatNoColumnHoldsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowBinaryWriter(8).dateTime64Nanos(-1))
        .withMessageContaining("after 2262");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowBinaryWriter(8).ipv6(ByteString.copyFrom(new byte[5])))
        .withMessageContaining("5 bytes");
  }

  @Test
  void unfinishedRowIsTakenBack() {
    RowBinaryWriter row = new RowBinaryWriter(2).string("first");
    int size = row.size();
    row.string("second that makes the buffer grow").truncate(size);

    assertThat(row.toByteArray()).isEqualTo(new RowBinaryWriter(2).string("first").toByteArray());
  }

  private static String hex(Consumer<RowBinaryWriter> write) {
    RowBinaryWriter row = new RowBinaryWriter(1);
    write.accept(row);
    return HexFormat.of().formatHex(row.toByteArray());
  }
}
