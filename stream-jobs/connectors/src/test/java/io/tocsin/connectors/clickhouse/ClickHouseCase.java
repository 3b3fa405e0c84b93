package io.tocsin.connectors.clickhouse;

import io.tocsin.testsupport.ClickHouseUnderTest;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test that inserts into a real server as the archive does. */
abstract class ClickHouseCase {
  ClickHouseUnderTest clickHouse;
  ClientInserter inserter;

  @BeforeEach
  void connect() throws IOException {
    clickHouse = ClickHouseUnderTest.require();
    inserter = new ClientInserter(ClickHouseConnection.open(clickHouse.url()));
  }

  @AfterEach
  void disconnect() {
    if (inserter != null) {
      inserter.close();
    }
  }
}
