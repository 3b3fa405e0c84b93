package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.google.protobuf.ByteString;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes as ClickHouse documents Native; an integration test shows that the server reads them. */
class NativeWriterTest {
  @Test
  void aBlockIsItsNumbersOfColumnsAndRowsAndEachColumnWithNameTypeAndValues() {
    NativeWriter rows = new NativeWriter();
    rows.string("a").uint8(1).endRow();
    rows.string("bc").uint8(2).endRow();

    assertThat(HexFormat.of().formatHex(rows.toByteArray(List.of("s", "n"))))
        .isEqualTo(
            "0202"
                + text("s")
                + text("String")
                + "0161"
                + "026263"
                + text("n")
                + text("UInt8")
                + "0102");
  }

  @Test
  void stringsAreLengthAndUtf8() {
    assertThat(values("String", row -> row.string("aü"))).isEqualTo("03" + "61c3bc");
    assertThat(values("String", row -> row.string(""))).isEqualTo("00");
    assertThat(values("String", row -> row.string(ByteString.copyFrom(new byte[] {0, -1}))))
        .isEqualTo("0200ff");
  }

  @ParameterizedTest
  @CsvSource({"127, 7f", "128, 8001", "300, ac02", "70000, f0a204"})
  void lengthsAreLeb128(int length, String prefix) {
    assertThat(values("String", row -> row.string("x".repeat(length)))).startsWith(prefix + "78");
  }

  @Test
  void integersAreLittleEndian() {
    assertThat(values("UInt64", row -> row.uint64(0x0102030405060708L)))
        .isEqualTo("0807060504030201");
    assertThat(values("UInt64", row -> row.uint64(-1))).isEqualTo("ffffffffffffffff");
    assertThat(values("UInt32", row -> row.uint32(1))).isEqualTo("01000000");
  }

  @Test
  void nullsStandBeforeTheValuesOfTheirColumn() {
    NativeWriter rows = new NativeWriter();
    rows.nullableUint64(true, 1).endRow();
    rows.nullableUint64(false, 7).endRow();

    assertThat(HexFormat.of().formatHex(rows.toByteArray(List.of("n"))))
        .endsWith(text("Nullable(UInt64)") + "0001" + "0100000000000000" + "0000000000000000");
    assertThat(
            values("Nullable(DateTime64(9, 'UTC'))", row -> row.nullableDateTime64Nanos(true, 2)))
        .isEqualTo("00" + "0200000000000000");
  }

  @Test
  void addressesAreSixteenBytesInNetworkOrder() {
    byte[] ipv4 = {(byte) 192, 0, 2, 18};
    assertThat(values("IPv6", row -> row.ipv6(ByteString.copyFrom(ipv4))))
        .isEqualTo("00000000000000000000ffffc0000212");
    assertThat(values("IPv6", row -> row.ipv6(ByteString.EMPTY))).isEqualTo("0".repeat(32));
    byte[] ipv6 = HexFormat.of().parseHex("20010db8000000000000000000000001");
    assertThat(values("IPv6", row -> row.ipv6(ByteString.copyFrom(ipv6))))
        .isEqualTo("20010db8000000000000000000000001");
  }

  @Test
  void mapsAreTheirEndsThenAllKeysThenAllValues() {
    NativeWriter rows = new NativeWriter();
    rows.stringMap(Map.of("k", "v")).endRow();
    rows.stringMap(Map.of()).endRow();
    rows.stringMap(Map.of("l", "w")).endRow();

    assertThat(HexFormat.of().formatHex(rows.toByteArray(List.of("m"))))
        .endsWith(
            text("Map(String, String)")
                + ("0100000000000000" + "0100000000000000" + "0200000000000000")
                + ("016b" + "016c")
                + ("0176" + "0177"));
  }

  @Test
  void arraysOfSeveralValuesAreTuples() {
    assertThat(
            values(
                "Array(Tuple(String, UInt8))",
                row ->
                    row.array(
                        List.of("a", "b"), (value, element) -> element.string(value).uint8(7))))
        .isEqualTo("0200000000000000" + "01610162" + "0707");
  }

  @Test
  void arraysMayHoldArrays() {
    assertThat(
            values(
                "Array(Array(String))",
                row ->
                    row.array(
                        List.of(List.of("a"), List.<String>of()),
                        (value, element) -> element.stringArray(value))))
        .isEqualTo("0200000000000000" + ("0100000000000000" + "0100000000000000") + "0161");
  }

  @Test
  void anArrayThatNeverHadAnElementHasNoTypeOfElements() {
    assertThat(values("Array(Nothing)", row -> row.stringArray(List.of())))
        .isEqualTo("0000000000000000");
  }

  @Test
  void enumsAreOneByteWithinTheirRange() {
    assertThat(values("Int8", row -> row.enum8("severity", 6, 1, 6))).isEqualTo("06");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NativeWriter().enum8("severity", 7, 1, 6))
        .withMessage("severity is 7: the table knows 1 to 6");
  }

  @Test
  void valuesThatNoColumnHoldsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NativeWriter().dateTime64Nanos(-1))
        .withMessageContaining("after 2262");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NativeWriter().ipv6(ByteString.copyFrom(new byte[5])))
        .withMessageContaining("5 bytes");
  }

  @Test
  void anUnfinishedRowIsTakenBackWithAllItsParts() {
    List<String> columns = List.of("s", "m", "n", "a", "t");
    NativeWriter rows = new NativeWriter();
    row(rows, 1).endRow();
    rows.string("x".repeat(1_000)).stringMap(Map.of("k", "v")).nullableUint64(true, 1);
    rows.stringArray(List.of("b", "c"));
    assertThatIllegalArgumentException().isThrownBy(() -> rows.dateTime64Nanos(-1));
    rows.reset();
    row(rows, 2).endRow();

    NativeWriter whole = new NativeWriter();
    row(whole, 1).endRow();
    row(whole, 2).endRow();
    assertThat(rows.toByteArray(columns)).isEqualTo(whole.toByteArray(columns));
    assertThat(rows.bytes()).isEqualTo(whole.bytes());
    assertThat(rows.rows()).isEqualTo(2);
  }

  @Test
  void aFirstRowThatIsTakenBackLeavesNothing() {
    NativeWriter rows = new NativeWriter();
    rows.string("x");
    assertThatIllegalArgumentException().isThrownBy(() -> rows.dateTime64Nanos(-1));
    rows.reset();
    rows.string("y").dateTime64Nanos(1).endRow();

    NativeWriter whole = new NativeWriter();
    whole.string("y").dateTime64Nanos(1).endRow();
    List<String> columns = List.of("s", "t");
    assertThat(rows.toByteArray(columns)).isEqualTo(whole.toByteArray(columns));
  }

  @Test
  void rowsThatWereHandedOnAreForgottenAndTheirTypesAreNot() {
    NativeWriter rows = new NativeWriter();
    rows.stringArray(List.of("a")).endRow();
    rows.clear();
    assertThat(rows.rows()).isZero();
    assertThat(rows.bytes()).isZero();

    rows.stringArray(List.of()).endRow();
    assertThat(HexFormat.of().formatHex(rows.toByteArray(List.of("a"))))
        .isEqualTo("0101" + text("a") + text("Array(String)") + "0000000000000000");
  }

  @Test
  void anEncoderThatWritesRowsOfAnotherShapeIsToldOf() {
    NativeWriter rows = new NativeWriter();
    rows.string("a").uint8(1).endRow();
    assertThatIllegalStateException()
        .isThrownBy(() -> rows.uint8(1))
        .withMessageContaining("UInt8");
    rows.reset();
    rows.string("a");
    assertThatIllegalStateException().isThrownBy(rows::endRow).withMessageContaining("1 values");
    rows.reset();
    assertThatIllegalStateException()
        .isThrownBy(() -> rows.toByteArray(List.of("s")))
        .withMessageContaining("[s]");
  }

  private static NativeWriter row(NativeWriter rows, int number) {
    return rows.string("row " + number)
        .stringMap(Map.of("number", "" + number))
        .nullableUint64(number > 1, number)
        .stringArray(List.of("a" + number))
        .dateTime64Nanos(number);
  }

  /** The values of the only column of one row, which must have a type. */
  private static String values(String type, Consumer<NativeWriter> write) {
    String block = HexFormat.of().formatHex(EncodedRows.of(List.of("c"), write));
    String head = "0101" + text("c") + text(type);
    assertThat(block).startsWith(head);
    return block.substring(head.length());
  }

  private static String text(String value) {
    return "%02x".formatted(value.length()) + HexFormat.of().formatHex(value.getBytes());
  }
}
