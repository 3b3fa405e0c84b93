package io.tocsin.embedded.security;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * An authority of its own and a certificate of it for this machine's loopback, by the JDK's
 * keytool. The authority's key is forgotten: nobody can make another certificate.
 *
 * @param authority its certificate, PEM
 * @param server the server's key, its certificate and the authority's, PEM
 */
record Certificates(String authority, String server) {
  /** Of a key store that exists for a moment, in a folder that nobody else may read. */
  private static final String STORE_PASSWORD = "changeit";

  private static final String SERVER = "server";
  private static final String AUTHORITY = "authority";
  private static final String NAMES = "san=dns:localhost,ip:127.0.0.1";
  private static final String DAYS = "3650";

  /**
   * New ones.
   *
   * @param folder that nobody else may read, for files that are removed again
   */
  static Certificates make(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve("certificates.p12");
    Path request = folder.resolve("request.pem");
    Path certificate = folder.resolve("certificate.pem");
    List<Path> temporary = List.of(store, request, certificate);
    delete(temporary);
    pair(store, AUTHORITY, "CN=Tocsin's embedded stack", "bc:c=ca:true");
    pair(store, SERVER, "CN=localhost", NAMES);
    keytool(store, "-certreq", "-alias", SERVER, "-file", request.toString());
    String[] sign = {
      "-gencert",
      "-alias",
      AUTHORITY,
      "-rfc",
      "-ext",
      NAMES,
      "-validity",
      DAYS,
      "-infile",
      request.toString(),
      "-outfile",
      certificate.toString()
    };
    keytool(store, sign);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream file = Files.newInputStream(store)) {
      keys.load(file, STORE_PASSWORD.toCharArray());
    }
    String authority = pem("CERTIFICATE", keys.getCertificate(AUTHORITY).getEncoded());
    String key = pem("PRIVATE KEY", keys.getKey(SERVER, STORE_PASSWORD.toCharArray()).getEncoded());
    String server = key + Files.readString(certificate) + authority;
    delete(temporary);
    return new Certificates(authority, server);
  }

  private static void delete(List<Path> files) throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  private static void pair(Path store, String alias, String name, String extension)
      throws IOException, InterruptedException {
    String[] arguments = {
      "-genkeypair",
      "-alias",
      alias,
      "-dname",
      name,
      "-ext",
      extension,
      "-keyalg",
      "EC",
      "-groupname",
      "secp256r1",
      "-validity",
      DAYS
    };
    keytool(store, arguments);
  }

  private static void keytool(Path store, String... arguments)
      throws IOException, InterruptedException {
    Path program = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    command.addAll(
        List.of(
            "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException("keytool " + arguments[0] + " failed: " + output.strip());
    }
  }

  private static String pem(String kind, byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, lines);
  }
}
