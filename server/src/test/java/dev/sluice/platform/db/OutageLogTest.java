package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;

import dev.sluice.platform.log.OutageFilter;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.time.Duration;

class OutageLogTest {

    private final DbException lost =
            new DbException(new SQLException("Connection refused.\nIs it running?", "08001"));

    private long nanos = 5;
    private final OutageLog outages = new OutageLog(() -> nanos);

    @AutoClose private final LogRecorder log = LogRecorder.of(OutageLog.class);

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private void fail() {
        outages.failed(lost, outages.begin());
    }

    @Test
    void an_outage_is_two_lines_however_many_transactions_fail() {
        for (int i = 0; i < 300; i++) {
            fail();
            pass(Duration.ofMillis(10));
        }
        pass(OutageLog.MIN_QUIET);
        outages.succeeded();
        outages.succeeded();

        assertThat(log.values("database.lost", "reason")).containsExactly("Connection refused.");
        assertThat(log.values("database.returned", "failures")).containsExactly("300");
        assertThat(log.values("database.returned", "milliseconds")).containsExactly("2990");
    }

    @Test
    void a_session_that_lives_a_moment_longer_does_not_end_the_outage() {
        fail();
        outages.succeeded();
        pass(Duration.ofMillis(500));
        fail();
        outages.succeeded();

        assertThat(log.count("database.lost")).isOne();
        assertThat(log.count("database.returned")).isZero();
    }

    @Test
    void the_next_outage_is_logged_again() {
        for (int i = 0; i < 2; i++) {
            fail();
            pass(OutageLog.MIN_QUIET);
            outages.succeeded();
        }

        assertThat(log.values("database.returned", "failures")).containsExactly("1", "1");
        assertThat(log.count("database.lost")).isEqualTo(2);
    }

    @Test
    void a_long_outage_is_logged_once_a_minute_with_the_number_of_failures() {
        for (int i = 0; i < 19; i++) {
            fail();
            pass(Duration.ofSeconds(10));
        }
        outages.succeeded();

        assertThat(log.values("database.lost", "failures")).containsExactly("1", "7", "13", "19");
        assertThat(log.values("database.returned", "failures")).containsExactly("19");
    }

    /// One pool waits for five seconds, in vain. The others are well.
    @Test
    void while_some_connections_keep_failing_the_outage_goes_on() {
        for (int i = 0; i < 20; i++) {
            fail();
            pass(Duration.ofSeconds(5));
            outages.succeeded();
        }

        assertThat(log.values("database.lost", "failures")).containsExactly("1", "13");
        assertThat(log.count("database.returned")).isZero();
    }

    /// A pool waits for five seconds. Meanwhile another one may find the database back.
    @Test
    void a_call_that_fails_after_the_outage_in_which_it_began_is_no_other_outage() {
        fail();
        int waiting = outages.begin();
        pass(OutageLog.MIN_QUIET);
        outages.succeeded();

        outages.failed(lost, waiting);
        outages.succeeded();
        assertThat(log.count("database.lost")).isOne();
        assertThat(log.count("database.returned")).isOne();

        fail();
        assertThat(log.count("database.lost")).isEqualTo(2);
    }

    @Test
    void a_statement_outside_a_transaction_reports_its_failure() {
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            assertThatThrownBy(() ->
                            db.executeOutsideTransaction(
                                    "select pg_terminate_backend(pg_backend_pid())",
                                    Duration.ofSeconds(1)))
                    .isInstanceOf(DbException.class);
        }

        assertThat(log.count("database.lost")).isOne();
    }

    @ParameterizedTest
    @CsvSource({"info, WARN, DENY", "debug, WARN, NEUTRAL", "info, ERROR, NEUTRAL"})
    void warnings_about_the_outage_are_written_with_debug_only(
            String logLevel, String level, FilterReply reply) {
        var filter = new OutageFilter();
        filter.setLevel(logLevel);

        assertThat(filter.decide(event(level, new IllegalStateException(lost)))).isEqualTo(reply);
    }

    @Test
    void other_warnings_are_written() {
        var filter = new OutageFilter();
        filter.setLevel("info");
        var refused = new DbException(new SQLException("read-only", "25006"));

        assertThat(filter.decide(event("WARN", refused))).isEqualTo(FilterReply.NEUTRAL);
    }

    private static LoggingEvent event(String level, Throwable cause) {
        var logger = (Logger) LoggerFactory.getLogger(OutageLogTest.class);
        return new LoggingEvent("", logger, Level.toLevel(level), "loop.failed", cause, null);
    }

    @Test
    void what_the_database_refuses_is_no_outage() {
        outages.failed(new DbException(new SQLException("read-only", "25006")), outages.begin());

        assertThat(log.count("database.lost")).isZero();
    }
}
