package io.tocsin.correlation.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds which of many literals a text contains in one pass over it, however many there are: the
 * automaton of Aho and Corasick (Communications of the ACM 18, 1975).
 *
 * <p>Not org.ahocorasick 0.6.3: it keeps a hash map for each state, and is slower where a line has
 * none of the literals, as most lines have none.
 *
 * @param <T> what stands for a literal
 */
public final class LiteralScan<T> {
  /** ASCII; another character ends whatever was being recognised. */
  private static final int ALPHABET = 128;

  /** A longer literal spares hardly more texts and costs memory. */
  private static final int MAX_LENGTH = 16;

  private final List<int[]> next = new ArrayList<>();
  private final List<List<T>> found = new ArrayList<>();
  private final boolean ignoresCase;

  /** The state after each state and character, once closed: what each character of a line asks. */
  private int[] after;

  /** Whether a literal ends in a state. */
  private boolean[] isFound;

  /** An automaton without literals. */
  public LiteralScan() {
    this(false);
  }

  private LiteralScan(boolean ignoresCase) {
    this.ignoresCase = ignoresCase;
    newState();
  }

  /** Finds whether a text contains one of some literals, in upper or lower case of ASCII. */
  public static LiteralScan<String> ignoringCase(List<String> literals) {
    LiteralScan<String> scan = new LiteralScan<>(true);
    literals.forEach(literal -> scan.add(literal, literal));
    scan.close();
    return scan;
  }

  /** Adds a literal; its longest piece of ASCII, up to 16 characters, must not be empty. */
  public void add(String literal, T meaning) {
    String piece = keyOf(literal);
    int state = 0;
    for (int i = 0; i < piece.length(); i++) {
      int c = fold(piece.charAt(i));
      if (next.get(state)[c] < 0) {
        next.get(state)[c] = newState();
      }
      state = next.get(state)[c];
    }
    found.get(state).add(meaning);
  }

  /** The piece of a literal that is looked for; empty where it has no ASCII. */
  static String keyOf(String literal) {
    String longest = "";
    int start = 0;
    for (int i = 0; i <= literal.length(); i++) {
      if (i == literal.length() || literal.charAt(i) >= ALPHABET) {
        if (i - start > longest.length()) {
          longest = literal.substring(start, i);
        }
        start = i + 1;
      }
    }
    return longest.substring(0, Math.min(longest.length(), MAX_LENGTH));
  }

  /** Turns the tree of literals into the automaton; nothing may be added afterwards. */
  public void close() {
    int[] fallback = new int[next.size()];
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    int[] root = next.get(0);
    for (int c = 0; c < ALPHABET; c++) {
      if (root[c] < 0) {
        root[c] = 0;
      } else {
        queue.add(root[c]);
      }
    }
    while (!queue.isEmpty()) {
      int state = queue.remove();
      int[] onward = next.get(state);
      int[] onFallback = next.get(fallback[state]);
      found.get(state).addAll(found.get(fallback[state]));
      for (int c = 0; c < ALPHABET; c++) {
        if (onward[c] < 0) {
          onward[c] = onFallback[c];
        } else {
          fallback[onward[c]] = onFallback[c];
          queue.add(onward[c]);
        }
      }
    }
    flatten();
  }

  private void flatten() {
    after = new int[next.size() * ALPHABET];
    isFound = new boolean[next.size()];
    for (int state = 0; state < next.size(); state++) {
      isFound[state] = !found.get(state).isEmpty();
      for (char c = 0; c < ALPHABET; c++) {
        after[state * ALPHABET + c] = next.get(state)[fold(c)];
      }
    }
  }

  /** Calls for every occurrence of a literal, so perhaps more than once for the same one. */
  public void scan(String text, Consumer<T> each) {
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      state = after(state, text.charAt(i));
      if (isFound[state]) {
        found.get(state).forEach(each);
      }
    }
  }

  /** Whether a text contains one of the literals. */
  public boolean findsAnyIn(String text) {
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      state = after(state, text.charAt(i));
      if (isFound[state]) {
        return true;
      }
    }
    return false;
  }

  private int after(int state, char c) {
    return c < ALPHABET ? after[state * ALPHABET + c] : 0;
  }

  private char fold(char c) {
    return ignoresCase && c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
  }

  private int newState() {
    int[] onward = new int[ALPHABET];
    Arrays.fill(onward, -1);
    next.add(onward);
    found.add(new ArrayList<>());
    return next.size() - 1;
  }
}
