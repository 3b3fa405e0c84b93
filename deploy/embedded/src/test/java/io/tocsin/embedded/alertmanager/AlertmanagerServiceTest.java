package io.tocsin.embedded.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class AlertmanagerServiceTest {
  @Test
  void committedRoutesPointToTheStacksOwnRecorderAndHeartbeat() throws IOException {
    String committed = Files.readString(Tools.find().alertmanagerConfig());
    assertThat(AlertmanagerService.config(committed, new Ports(0))).isEqualTo(committed);
    assertThat(AlertmanagerService.config(committed, new Ports(100)))
        .contains("url: http://127.0.0.1:9195/pages", "url: http://127.0.0.1:9197/beats");
  }
}
