package io.tocsin.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/preflight} on machines that lack something. */
class PreflightTest {

  private static final Path PREFLIGHT =
      Tools.find().repository().resolve("deploy/embedded/bin/preflight");

  private static final int DEADLINE_SECONDS = 60;

  @TempDir Path programs;

  private record Outcome(int exitCode, String text) {}

  private static Outcome run(String path, int portOffset, String what)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(PREFLIGHT.toString(), what).redirectErrorStream(true);
    builder.environment().put("PATH", path);
    builder.environment().put("PORT_OFFSET", Integer.toString(portOffset));
    Process process = builder.start();
    // It says a sentence: it does not wait for a reader.
    assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("preflight ends").isTrue();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.exitValue(), text);
  }

  /**
   * A PATH with the usual small programs and those needed ones that are given, as empty scripts.
   */
  private String pathWith(List<String> needed) throws IOException {
    for (String program : List.of("bash", "env", "dirname", "sed", "head", "awk", "df", "cat")) {
      script(program, "exec " + Tools.onPath(program).orElseThrow() + " \"$@\"");
    }
    for (String program : needed) {
      script(program, "echo 'openjdk version \"17.0.15\"' >&2");
    }
    return programs.toString();
  }

  private void script(String name, String body) throws IOException {
    Path script = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + body + "\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void missingToolIsNamedWithTheWayToGetIt() throws Exception {
    Outcome outcome =
        run(pathWith(List.of("java", "javac", "mvn", "cargo", "npm", "cc", "c++")), 0, "build");
    assertThat(outcome)
        .isEqualTo(
            new Outcome(1, "cmake is missing: install cmake (Debian: apt-get install cmake).\n"));
  }

  @Test
  void oldJavaIsNamedWithItsVersion() throws Exception {
    String path = pathWith(List.of("javac"));
    script("java", "echo 'openjdk version \"11.0.2\"' >&2");
    assertThat(run(path, 0, "build").text())
        .startsWith("java is version 11: install a JDK 17 or newer");
  }

  @Test
  void fullDiskIsNamedWithWhatIsNeeded() throws Exception {
    String path =
        pathWith(
            List.of(
                "java", "javac", "mvn", "cargo", "npm", "cc", "c++", "cmake", "setpriv", "setsid"));
    script("df", "echo head; echo /dev/x 9000 8000 950 90% /");
    Outcome outcome = run(path, 0, "build");
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.text())
        .startsWith("only 950 MiB are free under ")
        .contains("make room for 3000 MiB");
  }

  @Test
  void tcpPortInUseIsNamedWithItsUserAndTheRemedy() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      // Any port of the stack will do: this offset puts Kafka where the socket listens.
      int offset = socket.getLocalPort() - new Ports(0).kafka();
      Outcome outcome = run(System.getenv("PATH"), offset, "ports");
      assertThat(outcome.exitCode()).isEqualTo(1);
      assertThat(outcome.text())
          .startsWith("tcp port " + socket.getLocalPort() + " is in use by ")
          .contains("(process " + ProcessHandle.current().pid() + ")")
          .contains("PORT_OFFSET=" + (offset + 1000));
    }
  }

  @Test
  void udpPortInUseIsNamed() throws Exception {
    try (DatagramSocket socket = new DatagramSocket(0)) {
      int offset = socket.getLocalPort() - new Ports(0).alertUpdates();
      Outcome outcome = run(System.getenv("PATH"), Math.min(offset, Ports.MAX_OFFSET), "ports");
      assertThat(outcome.text()).startsWith("udp port " + socket.getLocalPort() + " is in use by ");
    }
  }

  @Test
  void offsetThatIsNoNumberIsRefused() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(PREFLIGHT.toString(), "ports").redirectErrorStream(true);
    builder.environment().put("PORT_OFFSET", "a lot");
    String text =
        new String(builder.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(text).isEqualTo("PORT_OFFSET is 'a lot': give a whole number from 0 to 56071.\n");
  }
}
