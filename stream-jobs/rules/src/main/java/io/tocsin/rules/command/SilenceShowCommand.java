package io.tocsin.rules.command;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.rules.topic.RulesTopic;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tocsin-rules silence show}. */
@Command(
    name = "show",
    description = "Says when a maintenance window is on, and which open alerts it covers.",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true)
final class SilenceShowCommand implements Callable<Integer> {
  @Parameters(paramLabel = "NAME", description = "as `silence list` prints it")
  private String name;

  @Mixin private KafkaOption kafka;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Silence silence =
        Optional.ofNullable(kafka.onTopic(RulesTopic::read).documents().get(name))
            .flatMap(Silence::of)
            .orElseThrow(
                () ->
                    CommandException.usage(
                        "'" + name + "' is no maintenance window that is in force",
                        "`tocsin-rules silence list --all` prints them"));
    Instant now = Clock.systemUTC().instant();
    List<Alert> open = kafka.onAlerts(topic -> topic.open(silence.window().alerts()::matches));
    LookAhead.print(silence, open, now, spec.commandLine().getOut());
    return 0;
  }
}
