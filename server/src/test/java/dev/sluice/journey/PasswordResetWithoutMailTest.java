package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;

import dev.sluice.RunningSluice;
import dev.sluice.account.people.PasswordResetMailer;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Tests what happens to a password reset on a server that sends no mail.
class PasswordResetWithoutMailTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private static final class LoggedLines extends AppenderBase<ILoggingEvent> {

        private final Queue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getMessage() + event.getKeyValuePairs());
        }
    }

    private static ApiResponse ask(String email) {
        return api.send(
                Person.withBody(
                        api.anonymous("/api/v1/auth/password-reset"), "{'email':'" + email + "'}"));
    }

    @Test
    void the_operator_is_told_how_to_help_and_of_unknown_addresses_nothing() {
        Person.register(api, "no-mail@example.com");
        var logger = (Logger) LoggerFactory.getLogger(PasswordResetMailer.class);
        var logged = new LoggedLines();
        logged.start();
        logger.addAppender(logged);
        try {
            assertThat(ask("unknown-no-mail@example.com").status()).isEqualTo(202);
            assertThat(ask("no-mail@example.com").status()).isEqualTo(202);

            await().untilAsserted(() ->
                    assertThat(logged.lines)
                            .anyMatch(line ->
                                    line.startsWith("WARN password_reset.not_mailed")
                                            && line.contains("\"no-mail@example.com\"")
                                            && line.contains("sluice reset-password")));
            assertThat(logged.lines).noneMatch(line -> line.contains("unknown-no-mail"));
        } finally {
            logger.detachAppender(logged);
        }
        try (var db = sluice.db()) {
            var resets =
                    db.call(tx ->
                            tx.query(
                                    "select account_id from password_reset",
                                    row -> row.uuid("account_id")));
            assertThat(resets).isEmpty();
        }
    }
}
