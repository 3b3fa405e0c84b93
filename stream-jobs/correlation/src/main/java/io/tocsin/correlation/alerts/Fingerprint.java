package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Signal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The identity of an alert, made from the fields that its signal names and from nothing else: for a
 * monitor's update {@code source}, {@code device}, {@code check} and, if one is configured, {@code
 * site}; for a rule those that the rule says. The fields travel with the alert, so that a person
 * sees why two alerts are two.
 *
 * <p>The text form is the first 32 hexadecimal digits of the SHA-256 over the fields in order of
 * their names, each written as name then value, each of these as a four-byte big-endian length and
 * UTF-8. Lengths in front keep ("ab","c") apart from ("a","bc").
 */
public final class Fingerprint {
  private static final int HEX_DIGITS = 32;

  private Fingerprint() {}

  /** The fingerprint of a signal's alert: 32 lower-case hexadecimal digits. */
  public static String of(Signal signal) {
    return of(signal.getFingerprintFieldsMap());
  }

  /** The fingerprint of fields in any order: 32 lower-case hexadecimal digits. */
  public static String of(Map<String, String> fields) {
    MessageDigest digest = sha256();
    new TreeMap<>(fields)
        .forEach(
            (name, value) -> {
              update(digest, name);
              update(digest, value);
            });
    return HexFormat.of().formatHex(digest.digest(), 0, HEX_DIGITS / 2);
  }

  private static void update(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
