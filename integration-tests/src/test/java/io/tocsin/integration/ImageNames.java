package io.tocsin.integration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/** The image names of {@code deploy/images/images.env}; the environment wins. */
final class ImageNames {
  private final Properties names = new Properties();
  private final Path file;

  /**
   * @param repository root of the checkout
   */
  ImageNames(Path repository) {
    file = repository.resolve("deploy/images/images.env");
    try (InputStream in = Files.newInputStream(file)) {
      names.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Name of an image by its variable, for example "KAFKA_IMAGE". */
  String of(String variable) {
    return Optional.ofNullable(System.getenv(variable))
        .or(() -> Optional.ofNullable(names.getProperty(variable)))
        .orElseThrow(() -> new AssertionError(variable + " is not in " + file));
  }

  /** Whether {@code deploy/images/build} makes this image. */
  static boolean isOwn(String image) {
    return image.startsWith("tocsin/");
  }
}
