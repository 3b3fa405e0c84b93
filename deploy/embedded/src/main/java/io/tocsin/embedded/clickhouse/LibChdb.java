package io.tocsin.embedded.clickhouse;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;

/** The one function of {@code libchdb.so} that is used here. */
interface LibChdb extends Library {

  /**
   * Runs {@code clickhouse local} with these arguments and returns when its query ends.
   *
   * @param count number of arguments, the program's name included
   * @param arguments the program's name first
   */
  Pointer chdb_query_cmdline(int count, StringArray arguments);
}
