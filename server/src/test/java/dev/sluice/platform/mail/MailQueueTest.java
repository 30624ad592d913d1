package dev.sluice.platform.mail;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;

import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import javax.net.ssl.SSLContext;

/// Tests the queue of messages, round by round.
class MailQueueTest {

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final GreenMail server =
            new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));

    @BeforeEach
    void start() {
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    private MailQueue queue(int port) {
        var settings =
                new MailSettings(MailServer.parse("smtp://127.0.0.1:" + port), "s@b.example");
        return new MailQueue(new MailSender(settings, clock), clock);
    }

    private static MailMessage message(String to) {
        return new MailMessage(to + "@b.example", "Subject", "Text\n");
    }

    @Test
    void messages_go_out_in_their_order() throws Exception {
        var queue = queue(server.getSmtp().getPort());
        assertThat(queue.offer(message("one"))).isTrue();
        assertThat(queue.offer(message("two"))).isTrue();

        assertThat(queue.sendNext()).isTrue();
        assertThat(queue.sendNext()).isTrue();
        assertThat(queue.sendNext()).isFalse();

        assertThat(server.getReceivedMessages())
                .extracting(sent -> sent.getAllRecipients()[0].toString())
                .containsExactly("one@b.example", "two@b.example");
    }

    @Test
    void a_clock_that_is_set_back_keeps_no_message_waiting() throws IOException {
        try (var busy = scripted("450 later")) {
            var queue = queue(busy.port());
            clock.advance(Duration.ofDays(10));
            queue.offer(message("one"));
            assertThat(queue.sendNext()).isTrue();
            assertThat(queue.sendNext()).isFalse();

            clock.advance(Duration.ofDays(-10));

            assertThat(queue.sendNext()).isTrue();
        }
    }

    @Test
    void what_fails_temporarily_is_tried_twice_more_and_holds_up_nobody() throws IOException {
        try (var busy = scripted("450 later")) {
            var queue = queue(busy.port());
            queue.offer(message("one"));

            assertThat(queue.sendNext()).isTrue();
            assertThat(queue.sendNext()).as("not at once").isFalse();
            queue.offer(message("two"));
            assertThat(queue.sendNext()).as("another one").isTrue();
            clock.advance(Duration.ofMinutes(1));
            assertThat(queue.sendNext()).isTrue();
            assertThat(queue.sendNext()).isTrue();
            clock.advance(Duration.ofMinutes(4));
            assertThat(queue.sendNext()).isFalse();
            clock.advance(Duration.ofMinutes(1));
            assertThat(queue.sendNext()).isTrue();
            assertThat(queue.sendNext()).isTrue();
            clock.advance(Duration.ofDays(1));
            assertThat(queue.sendNext()).as("given up").isFalse();
        }
    }

    @Test
    void what_is_refused_for_good_is_not_tried_again() throws IOException {
        try (var refusing = scripted("550 no such mailbox")) {
            var queue = queue(refusing.port());
            queue.offer(message("one"));

            assertThat(queue.sendNext()).isTrue();
            clock.advance(Duration.ofDays(1));
            assertThat(queue.sendNext()).isFalse();
        }
    }

    @Test
    void a_full_queue_takes_no_more() {
        var queue = queue(1);
        for (int i = 0; i < MailQueue.MAX_MESSAGES; i++) {
            assertThat(queue.offer(message("p" + i))).isTrue();
        }

        assertThat(queue.offer(message("late"))).isFalse();
    }

    private static ScriptedSmtpServer scripted(String reply) throws IOException {
        try {
            return ScriptedSmtpServer.start(Map.of("RCPT", reply), SSLContext.getDefault());
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }
}
