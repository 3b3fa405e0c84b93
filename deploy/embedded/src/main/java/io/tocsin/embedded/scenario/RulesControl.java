package io.tocsin.embedded.scenario;

import java.nio.file.Path;

/** What a scenario does to the rules in force. */
@FunctionalInterface
public interface RulesControl {

  /**
   * Puts the documents of a folder in force beside those that are, by {@code tocsin-rules push},
   * and returns when they are in the topic. The running jobs take them some time later.
   */
  void pushRules(Path folder);
}
