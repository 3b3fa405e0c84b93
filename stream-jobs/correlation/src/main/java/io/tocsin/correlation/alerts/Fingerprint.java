package io.tocsin.correlation.alerts;

import io.tocsin.events.v1.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The identity of an alert: who says it ({@code source}), about what ({@code device}, {@code
 * check}) and where ({@code site}, only if one is configured). Severity, summary and labels are
 * deliberately no part of it: they change while the alert stays the same.
 *
 * <p>The text form is the first 32 hexadecimal digits of the SHA-256 over the fields in order of
 * their names, each written as name then value, each of these as a four-byte big-endian length and
 * UTF-8. Lengths in front keep ("ab","c") apart from ("a","bc").
 */
public final class Fingerprint {
  private static final int HEX_DIGITS = 32;

  private Fingerprint() {}

  /** The fields of an alert update that identify its alert, in order of their names. */
  public static SortedMap<String, String> fieldsOf(Event event) {
    SortedMap<String, String> fields = new TreeMap<>();
    fields.put("source", event.getAlertUpdate().getSource());
    fields.put("device", event.getDevice());
    fields.put("check", event.getAlertUpdate().getCheck());
    if (!event.getSite().isEmpty()) {
      fields.put("site", event.getSite());
    }
    return Collections.unmodifiableSortedMap(fields);
  }

  /** The fingerprint of an alert update: 32 lower-case hexadecimal digits. */
  public static String of(Event event) {
    return of(fieldsOf(event));
  }

  /**
   * The fingerprint of fields that are in order of their names: 32 lower-case hexadecimal digits.
   */
  public static String of(SortedMap<String, String> fields) {
    MessageDigest digest = sha256();
    fields.forEach(
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
