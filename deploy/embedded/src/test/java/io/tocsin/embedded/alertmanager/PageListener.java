package io.tocsin.embedded.alertmanager;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Stands for the pager, the chats and the mail server: takes what Alertmanager sends, by HTTP and
 * by SMTP.
 */
final class PageListener implements AutoCloseable {
  private final HttpServer http;
  private final ServerSocket smtp;
  private final BlockingQueue<Page> pages = new LinkedBlockingQueue<>();

  /**
   * What was sent.
   *
   * @param to path of the request, or "mail"
   * @param body as it came
   */
  record Page(String to, String body) {}

  PageListener() throws IOException {
    InetAddress loopback = InetAddress.getByName("127.0.0.1");
    http = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    http.createContext("/", this::take);
    http.start();
    smtp = new ServerSocket(0, 10, loopback);
    Thread mails = new Thread(this::takeMails, "smtp");
    mails.setDaemon(true);
    mails.start();
  }

  String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  String smtpAddress() {
    return "127.0.0.1:" + smtp.getLocalPort();
  }

  /** The next one; null where none comes in time. */
  Page poll(long timeoutNanos) throws InterruptedException {
    return pages.poll(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  private void take(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    // Slack's answer, which the others do not read.
    byte[] answer = "ok".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(
        exchange.getRequestURI().getPath().startsWith("/pagerduty") ? 202 : 200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
    pages.add(
        new Page(exchange.getRequestURI().getPath(), new String(body, StandardCharsets.UTF_8)));
  }

  private void takeMails() {
    while (!smtp.isClosed()) {
      try (Socket socket = smtp.accept()) {
        takeMail(socket);
      } catch (IOException e) {
        if (!smtp.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  /** RFC 5321, as far as a client that sends one message needs it. */
  private void takeMail(Socket socket) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    say(socket, "220 tocsin.test");
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("DATA")) {
        say(socket, "354 go on");
        List<String> message = new ArrayList<>();
        for (String each = lines.readLine(); !".".equals(each); each = lines.readLine()) {
          message.add(each.startsWith(".") ? each.substring(1) : each);
        }
        pages.add(new Page("mail", String.join("\n", message)));
        say(socket, "250 taken");
      } else {
        say(socket, line.equals("QUIT") ? "221 bye" : "250 tocsin.test");
      }
    }
  }

  private static void say(Socket socket, String line) throws IOException {
    socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    http.stop(0);
    smtp.close();
  }
}
