package io.tocsin.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * What a stack keeps between starts, one folder a stack.
 *
 * @param root the folder, absolute
 */
public record StateFolder(Path root) {

  /** Makes the path absolute: child processes have other working folders. */
  public StateFolder {
    root = root.toAbsolutePath().normalize();
  }

  /** Logs of all processes, one file each. */
  public Path logs() {
    return root.resolve("logs");
  }

  /** The folder of one part of the stack. */
  public Path of(String part) {
    return root.resolve(part);
  }

  /** The agent's generated configuration. */
  public Path agentConfig() {
    return root.resolve("agent.yaml");
  }

  /** Makes the folder and that of the logs. */
  public void create() {
    try {
      Files.createDirectories(logs());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the state folder " + root + " cannot be made: " + e.getMessage(), e);
    }
  }

  /** Removes the folder with everything in it; not existing is fine. */
  public void delete() {
    delete(root);
  }

  /** Removes everything in the folder except one file. */
  public void clearExcept(String file) {
    try (Stream<Path> parts = Files.list(root)) {
      parts.filter(part -> !part.endsWith(file)).forEach(StateFolder::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the state folder " + root + " cannot be read: " + e.getMessage(), e);
    }
    create();
  }

  private static void delete(Path tree) {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(tree + " cannot be removed: " + e.getMessage(), e);
    }
  }
}
