package io.tocsin.embedded.control;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.scenario.AgentControl;
import io.tocsin.embedded.scenario.RulesControl;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lets other processes change a running stack: a Unix socket in its state folder that takes one
 * {@link Request} a connection, one after the other. It answers with nothing where that is done,
 * and with the problem where it is not.
 */
public final class ControlServer {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AgentControl agent;
  private final RulesControl rules;
  private final Runnable restartJobs;

  private ControlServer(AgentControl agent, RulesControl rules, Runnable restartJobs) {
    this.agent = agent;
    this.rules = rules;
    this.restartJobs = restartJobs;
  }

  /** Listens for requests to a stack as long as this process lives. */
  public static void start(Stack stack) {
    start(stack.state(), stack, stack, stack::restartJobs);
  }

  static void start(
      StateFolder state, AgentControl agent, RulesControl rules, Runnable restartJobs) {
    Path socket = socket(state);
    ServerSocketChannel server;
    try {
      // Whoever was killed has left it behind.
      Files.deleteIfExists(socket);
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      System.err.printf(
          "make play and make watch cannot reach this stack: %s (a socket's path has at most 107"
              + " bytes): %s%n",
          socket, e.getMessage());
      return;
    }
    ControlServer control = new ControlServer(agent, rules, restartJobs);
    Thread thread = new Thread(() -> control.serve(server), "control");
    thread.setDaemon(true);
    thread.start();
  }

  static Path socket(StateFolder state) {
    return state.of("control");
  }

  private void serve(ServerSocketChannel server) {
    while (true) {
      try (SocketChannel client = server.accept()) {
        byte[] request = Channels.newInputStream(client).readAllBytes();
        client.write(ByteBuffer.wrap(answer(request).getBytes(StandardCharsets.UTF_8)));
      } catch (IOException e) {
        System.err.println("a request to the stack was not answered: " + e.getMessage());
      }
    }
  }

  private String answer(byte[] bytes) {
    try {
      Request request = JSON.readValue(bytes, Request.class);
      if (request.restartAgent() != null) {
        agent.restartAgent(request.restartAgent());
      }
      if (request.restartJobs()) {
        restartJobs.run();
      }
      if (request.pushRules() != null) {
        rules.pushRules(Path.of(request.pushRules()));
      }
      return "";
    } catch (IOException | RuntimeException e) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }
}
