package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.List;

/// Tests two overlapping replays of succeeded events. No delivery status shows what the other
/// replay already did.
@ResourceLock(ReplayFixture.RESOURCE_LOCK)
class OverlappingReplaysTest {

    private static final ResendEstimate ALL_EVENTS = new ResendEstimate(25, true, List.of());

    private ReplayFixture fixture;
    private List<EventId> events;
    private ReplayWorker worker;

    @BeforeEach
    void open() {
        fixture = new ReplayFixture();
        events = fixture.ended(DeliveryStatus.SUCCEEDED, 25);
        worker = fixture.worker(new ReplayWorker.ReplayLimits(10, 1_000));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_job_asked_for_while_the_first_runs_resends_nothing_of_what_that_one_does() {
        var first = fixture.job(25, DeliveryStatus.SUCCEEDED);
        worker.run();
        fixture.clock.advance(Duration.ofSeconds(1));
        var second = fixture.job(25, DeliveryStatus.SUCCEEDED);

        runToCompletion();

        assertEachResent(1);
        assertThat(
                        fixture.reload(first).progress().created()
                                + fixture.reload(second).progress().created())
                .isEqualTo(25);
        assertThat(
                        fixture.reload(first).progress().skipped()
                                + fixture.reload(second).progress().skipped())
                .isEqualTo(25);
    }

    @Test
    void a_job_that_was_counted_longer_than_a_later_one_has_its_turn_after_it() {
        var askedAt = fixture.clock.instant();
        fixture.clock.advance(Duration.ofSeconds(1));
        var quick = fixture.job(25, DeliveryStatus.SUCCEEDED);
        worker.run();
        fixture.clock.advance(Duration.ofSeconds(1));
        var slow = fixture.job(ALL_EVENTS, askedAt, DeliveryStatus.SUCCEEDED);

        runToCompletion();

        assertThat(slow.createdAt()).isAfter(quick.createdAt());
        assertEachResent(1);
    }

    @Test
    void a_job_asked_for_when_the_first_is_done_resends_all_again() {
        fixture.job(25, DeliveryStatus.SUCCEEDED);
        runToCompletion();
        fixture.clock.advance(Duration.ofSeconds(1));
        var second = fixture.job(25, DeliveryStatus.SUCCEEDED);

        runToCompletion();

        assertEachResent(2);
        assertThat(fixture.reload(second).progress().created()).isEqualTo(25);
    }

    @Test
    void a_job_that_asks_for_other_statuses_resends_what_the_first_did() {
        fixture.job(25, DeliveryStatus.SUCCEEDED);
        worker.run();
        fixture.clock.advance(Duration.ofSeconds(1));
        var second = fixture.job(25, DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED);

        runToCompletion();

        assertThat(fixture.reload(second).progress().created()).isEqualTo(25);
        assertThat(fixture.resends().keySet()).hasSize(25);
    }

    @Test
    void what_was_resent_while_a_job_was_counted_is_skipped() {
        var askedAt = fixture.clock.instant();
        fixture.clock.advance(Duration.ofSeconds(1));
        fixture.resend(events.subList(8, 12));
        fixture.clock.advance(Duration.ofSeconds(1));
        var job = fixture.job(ALL_EVENTS, askedAt, DeliveryStatus.SUCCEEDED);

        runToCompletion();

        assertEachResent(1);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(21);
        assertThat(fixture.reload(job).progress().skipped()).isEqualTo(4);
    }

    private void runToCompletion() {
        for (int round = 0; round < 6; round++) {
            worker.run();
        }
    }

    private void assertEachResent(long times) {
        assertThat(fixture.resends().keySet()).containsExactlyInAnyOrderElementsOf(events);
        assertThat(fixture.resends().values()).containsOnly(times);
    }
}
