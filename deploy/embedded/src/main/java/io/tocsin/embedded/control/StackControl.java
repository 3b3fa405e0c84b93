package io.tocsin.embedded.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.scenario.AgentControl;
import io.tocsin.embedded.scenario.RulesControl;
import io.tocsin.embedded.scenario.ScenarioException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A stack that runs in another process, by the socket in its state folder. Each call returns when
 * the stack has done what it was asked.
 *
 * @param state of the stack
 */
public record StackControl(StateFolder state) implements AgentControl, RulesControl {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public void restartAgent(JsonNode overrides) {
    ask(new Request(overrides, false, null));
  }

  @Override
  public void pushRules(Path folder) {
    ask(new Request(null, false, folder.toAbsolutePath().toString()));
  }

  /** Starts Flink again: a last checkpoint, then the jobs of the class path as it is now. */
  public void restartJobs() {
    ask(new Request(null, true, null));
  }

  private void ask(Request request) {
    Path socket = ControlServer.socket(state);
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(ByteBuffer.wrap(JSON.writeValueAsBytes(request)));
      channel.shutdownOutput();
      String problem =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      if (!problem.isEmpty()) {
        throw new ScenarioException(problem);
      }
    } catch (IOException e) {
      throw new ScenarioException(
          "no stack answers at %s (%s): start one by 'make up'".formatted(socket, e.getMessage()));
    }
  }
}
