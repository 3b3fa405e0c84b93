package io.tocsin.rules.command;

/** What devices say, printed without what would move a terminal's cursor. */
final class Terminal {
  private Terminal() {}

  static String plain(String text) {
    return text.codePoints()
        .map(each -> Character.isISOControl(each) && each != '\n' ? '\uFFFD' : each)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
