package dev.sluice.testkit;

import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// A mail server on the loopback that takes every message and keeps it.
public final class Mailbox implements AutoCloseable {

    private static final Duration ARRIVAL_TIMEOUT = Duration.ofSeconds(20);
    private static final Pattern LINK = Pattern.compile("\\S+/(?:reset|invite)#(\\S+)");

    private final GreenMail server =
            new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));

    private Mailbox() {}

    public static Mailbox start() {
        var mailbox = new Mailbox();
        mailbox.server.start();
        return mailbox;
    }

    /// The settings of a server that sends its mail here.
    public Map<String, String> settings() {
        return Map.of(
                "SLUICE_SMTP_URL",
                "smtp://127.0.0.1:" + server.getSmtp().getPort(),
                "SLUICE_MAIL_FROM",
                "sluice@relay.example");
    }

    /// Makes somebody who must give this password to send.
    public void addUser(String login, String password) {
        server.setUser(login + "@relay.example", login, password);
    }

    /// Waits until this address has so many messages, and returns them in the order of arrival.
    public List<MimeMessage> awaitMessages(String to, int number) {
        await().atMost(ARRIVAL_TIMEOUT).until(() -> messages(to).size() >= number);
        return messages(to);
    }

    /// The messages that have arrived for this address.
    public List<MimeMessage> messages(String to) {
        return Arrays.stream(server.getReceivedMessages())
                .filter(message -> isTo(message, to))
                .toList();
    }

    private static boolean isTo(MimeMessage message, String address) {
        try {
            return message.getAllRecipients()[0].toString().equals(address);
        } catch (MessagingException e) {
            throw new IllegalStateException(e);
        }
    }

    public static String text(MimeMessage message) {
        try {
            return ((String) message.getContent()).replace("\r\n", "\n");
        } catch (MessagingException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The token of the link in a message.
    public static String token(MimeMessage message) {
        var link = LINK.matcher(text(message));
        if (!link.find()) {
            throw new AssertionError("no link in: " + text(message));
        }
        return link.group(1);
    }

    @Override
    public void close() {
        server.stop();
    }
}
