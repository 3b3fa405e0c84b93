package io.tocsin.embedded;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports at which nobody listens, for stacks beside others. They lie below those that Linux gives to
 * clients, so that none is taken between the look and the use.
 */
public final class FreePorts {
  private static final int FIRST_OFFSET = 15_000;
  private static final int LAST_OFFSET = 23_200;
  private static final int OFFSET_STEP = 100;

  /**
   * Added to an offset: a port of no part of the stack, bound by whoever has reserved the offset.
   */
  private static final int GUARD = 9_090;

  /** Never closed: they are released with the process. */
  private static final List<ServerSocket> GUARDS = new ArrayList<>();

  private FreePorts() {}

  /**
   * The first free ports; no process that asks this way gets them, too, as long as this one lives.
   *
   * @throws IllegalStateException where there are none
   */
  public static synchronized Ports reserve() {
    for (int offset = FIRST_OFFSET; offset <= LAST_OFFSET; offset += OFFSET_STEP) {
      Ports ports = new Ports(offset);
      if (guard(offset) && ports.byProtocol().keySet().stream().allMatch(FreePorts::isFree)) {
        return ports;
      }
    }
    throw new IllegalStateException(
        "no free ports from PORT_OFFSET %d to %d: stop what listens there"
            .formatted(FIRST_OFFSET, LAST_OFFSET));
  }

  /** Kept where the ports prove to be in use, too: others need not look there. */
  private static boolean guard(int offset) {
    try {
      GUARDS.add(new ServerSocket(GUARD + offset));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether a port can be bound.
   *
   * @param port as in {@link Ports#byProtocol}, for example "tcp/9092"
   */
  public static boolean isFree(String port) {
    int number = Integer.parseInt(port.substring(port.indexOf('/') + 1));
    try {
      if (port.startsWith("udp")) {
        new DatagramSocket(number).close();
      } else {
        new ServerSocket(number).close();
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
