package io.tocsin.embedded.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void numbersStandRightAndTextLeft() throws Exception {
    String text =
        Table.text(
            List.of("kind", "rows", "size"),
            JSON.readTree("[[\"syslog\", 1200, \"3 KiB\"], [\"alerts\", 5, \"1 KiB\"]]"));
    assertThat(text)
        .isEqualTo(
            """
              kind      rows   size
              syslog   1,200   3 KiB
              alerts       5   1 KiB
            """);
  }

  @Test
  void longLinesAreCutAndNoRowsAreSaid() throws Exception {
    String text = Table.text(List.of("summary"), JSON.readTree("[[\"" + "x".repeat(200) + "\"]]"));
    assertThat(text.lines()).allMatch(line -> line.length() <= 98);
    assertThat(Table.text(List.of("summary"), JSON.readTree("[]"))).isEqualTo("  none\n");
  }
}
