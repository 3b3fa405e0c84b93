package io.tocsin.rules.command;

import io.tocsin.rules.replay.Difference;
import io.tocsin.rules.replay.Identity;
import io.tocsin.rules.replay.Page;
import java.util.List;

/** A report as one HTML page, which needs nothing else: to attach to a review. */
final class ReplayPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; }
      body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
             color: light-dark(#1f2328, #e6edf3); background: light-dark(#ffffff, #0d1117); }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; width: 100%; }
      caption { text-align: left; padding-bottom: .5rem; }
      th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0;
               border-bottom: 1px solid light-dark(#d1d9e0, #3d444d); }
      td { overflow-wrap: anywhere; }
      .kind { font-weight: 600; white-space: nowrap; }
      .quiet { color: light-dark(#59636e, #9198a1); }
      """;

  private ReplayPage() {}

  static String of(ReplayReport report) {
    StringBuilder page = new StringBuilder();
    page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<title>Replay of rules</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n</head>\n<body>\n<main>\n<h1>Replay of rules</h1>\n<p>")
        .append(escaped(report.headline()))
        .append(".</p>\n<p class=\"quiet\">")
        .append(escaped(report.from() + " to " + report.to()))
        .append("</p>\n");
    if (!report.differences().isEmpty()) {
      differences(report, page);
    }
    groups("Alerts that would be one", report.merged(), page);
    groups("Alerts that would be several", report.split(), page);
    page.append("<h2>Not known</h2>\n<ul>\n");
    report.unknowns().forEach(each -> page.append("<li>").append(escaped(each)).append("</li>\n"));
    return page.append("</ul>\n</main>\n</body>\n</html>\n").toString();
  }

  private static void differences(ReplayReport report, StringBuilder page) {
    page.append("<div class=\"wide\" role=\"region\" aria-label=\"Pages that would be others\" ")
        .append("tabindex=\"0\">\n<table>\n<caption>Pages that would be others: ")
        .append(escaped(report.counts()))
        .append("</caption>\n<thead><tr>");
    for (String title : List.of("Time", "Change", "Severity", "Alert", "Why")) {
      page.append("<th scope=\"col\">").append(title).append("</th>");
    }
    page.append("</tr></thead>\n<tbody>\n");
    for (Difference each : report.differences()) {
      Page told = each.page();
      page.append("<tr><td>")
          .append(ReplayReport.time(told))
          .append("</td><td class=\"kind\">")
          .append(ReplayReport.kinds(each))
          .append("</td><td>")
          .append(ReplayReport.severity(told))
          .append("</td><th scope=\"row\">")
          .append(escaped(ReplayReport.name(told)))
          .append("<br><span class=\"quiet\">")
          .append(escaped(told.alert().getSummary()))
          .append("</span></th><td>")
          .append(escaped(String.join("; ", each.reasons())))
          .append("</td></tr>\n");
    }
    page.append("</tbody>\n</table>\n</div>\n");
  }

  private static void groups(String title, List<Identity.Group> groups, StringBuilder page) {
    if (groups.isEmpty()) {
      return;
    }
    page.append("<h2>").append(title).append("</h2>\n<ul>\n");
    for (Identity.Group group : groups) {
      page.append("<li>").append(escaped(group.one().toString())).append("<ul>");
      group
          .several()
          .forEach(each -> page.append("<li>").append(escaped(each.toString())).append("</li>"));
      page.append("</ul></li>\n");
    }
    page.append("</ul>\n");
  }

  private static String escaped(String text) {
    return Terminal.plain(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
