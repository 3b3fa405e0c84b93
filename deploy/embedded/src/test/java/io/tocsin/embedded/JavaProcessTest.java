package io.tocsin.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JavaProcessTest {
  /** Of a library: it prints a table. */
  private static final String PROGRAM = "org.apache.kafka.common.protocol.Errors";

  private static final String FROM_ARCHIVE = PROGRAM + " source: shared objects file (top)";

  @TempDir Path folder;

  @Test
  void firstToEndLeavesItsClassesAndTheNextUsesThem() throws Exception {
    Path archive = folder.resolve("library.jsa");

    assertThat(saidWith(archive)).doesNotContain(FROM_ARCHIVE, "warning");
    assertThat(archive).isNotEmptyFile();
    assertThat(saidWith(archive)).contains(FROM_ARCHIVE);
  }

  private static String saidWith(Path archive) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(JavaProcess.classArchiveFlags(archive));
    command.addAll(List.of("-Xlog:class+load", "-cp", jars(), PROGRAM));
    Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(java.getInputStream().readAllBytes());
    java.waitFor();
    return said;
  }

  /** Of the class path. An archive cannot be made of the others. */
  private static String jars() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> entry.endsWith(".jar") && Files.exists(Path.of(entry)))
        .reduce((left, right) -> left + File.pathSeparator + right)
        .orElseThrow();
  }
}
