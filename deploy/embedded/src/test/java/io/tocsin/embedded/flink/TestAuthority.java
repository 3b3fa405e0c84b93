package io.tocsin.embedded.flink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An authority, and certificates of it, valid and not, by openssl. */
final class TestAuthority {
  private final Path folder;

  /** A new one, in a folder of its own. */
  TestAuthority(Path folder) throws IOException, InterruptedException {
    this.folder = Files.createDirectories(folder);
    newKey("authority", "-x509", "-out", file().toString(), "-addext", "keyUsage=keyCertSign");
  }

  /** Its certificate. */
  Path file() {
    return folder.resolve("authority.pem");
  }

  /**
   * A key and its certificate, as a server has them.
   *
   * @param name of the server, as openssl has it: {@code IP:127.0.0.1}
   * @param days until it expires; negative for one that has
   */
  Path server(String name, int days) throws IOException, InterruptedException {
    String request = folder.resolve("request.pem").toString();
    newKey("server", "-out", request);
    Path certificate = folder.resolve("certificate.pem");
    Path extensions = folder.resolve("extensions");
    Files.writeString(extensions, "subjectAltName=" + name + "\n");
    List<String> sign = new ArrayList<>(List.of("x509", "-req", "-in", request));
    sign.addAll(List.of("-CA", file().toString(), "-CAkey", key("authority").toString()));
    sign.addAll(List.of("-set_serial", "1", "-days", Integer.toString(days)));
    sign.addAll(List.of("-extfile", extensions.toString(), "-out", certificate.toString()));
    openssl(sign);
    return Files.writeString(
        folder.resolve("server.pem"),
        Files.readString(key("server")) + Files.readString(certificate));
  }

  private Path key(String name) {
    return folder.resolve(name + ".key");
  }

  private void newKey(String name, String... wanted) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("req", "-new", "-noenc", "-newkey", "ec"));
    command.addAll(List.of("-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=" + name));
    command.addAll(List.of("-keyout", key(name).toString()));
    command.addAll(List.of(wanted));
    openssl(command);
  }

  private static void openssl(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + output);
    }
  }
}
