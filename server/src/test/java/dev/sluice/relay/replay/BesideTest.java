package dev.sluice.relay.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.List;

/// The same asked for twice, of events that succeeded, where no status says what was done.
@ResourceLock(Jobs.ROOM)
class BesideTest {

    private static final Plan ALL = new Plan(25, true, List.of());

    private Jobs jobs;
    private List<EventId> events;
    private Replaying process;

    @BeforeEach
    void open() {
        jobs = new Jobs();
        events = jobs.ended(DeliveryStatus.SUCCEEDED, 25);
        process = jobs.process(new Replaying.Sizes(10, 1_000));
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    @Test
    void a_job_asked_for_while_the_first_runs_resends_nothing_of_what_that_one_does() {
        var first = jobs.job(25, DeliveryStatus.SUCCEEDED);
        process.run();
        jobs.clock.advance(Duration.ofSeconds(1));
        var second = jobs.job(25, DeliveryStatus.SUCCEEDED);

        toTheEnd();

        eachTimes(1);
        assertThat(jobs.now(first).created() + jobs.now(second).created()).isEqualTo(25);
        assertThat(jobs.now(first).skipped() + jobs.now(second).skipped()).isEqualTo(25);
    }

    @Test
    void a_job_that_was_counted_longer_than_a_later_one_has_its_turn_after_it() {
        var askedAt = jobs.clock.instant();
        jobs.clock.advance(Duration.ofSeconds(1));
        var quick = jobs.job(25, DeliveryStatus.SUCCEEDED);
        process.run();
        jobs.clock.advance(Duration.ofSeconds(1));
        var slow = jobs.job(ALL, askedAt, DeliveryStatus.SUCCEEDED);

        toTheEnd();

        assertThat(slow.createdAt()).isAfter(quick.createdAt());
        eachTimes(1);
    }

    @Test
    void a_job_asked_for_when_the_first_is_done_resends_all_again() {
        jobs.job(25, DeliveryStatus.SUCCEEDED);
        toTheEnd();
        jobs.clock.advance(Duration.ofSeconds(1));
        var second = jobs.job(25, DeliveryStatus.SUCCEEDED);

        toTheEnd();

        eachTimes(2);
        assertThat(jobs.now(second).created()).isEqualTo(25);
    }

    @Test
    void a_job_that_asks_for_other_statuses_resends_what_the_first_did() {
        jobs.job(25, DeliveryStatus.SUCCEEDED);
        process.run();
        jobs.clock.advance(Duration.ofSeconds(1));
        var second = jobs.job(25, DeliveryStatus.SUCCEEDED, DeliveryStatus.FAILED);

        toTheEnd();

        assertThat(jobs.now(second).created()).isEqualTo(25);
        assertThat(jobs.resends().keySet()).hasSize(25);
    }

    @Test
    void what_was_resent_while_a_job_was_counted_is_skipped() {
        var askedAt = jobs.clock.instant();
        jobs.clock.advance(Duration.ofSeconds(1));
        jobs.resend(events.subList(8, 12));
        jobs.clock.advance(Duration.ofSeconds(1));
        var job = jobs.job(ALL, askedAt, DeliveryStatus.SUCCEEDED);

        toTheEnd();

        eachTimes(1);
        assertThat(jobs.now(job).created()).isEqualTo(21);
        assertThat(jobs.now(job).skipped()).isEqualTo(4);
    }

    private void toTheEnd() {
        for (int round = 0; round < 6; round++) {
            process.run();
        }
    }

    private void eachTimes(long times) {
        assertThat(jobs.resends().keySet()).containsExactlyInAnyOrderElementsOf(events);
        assertThat(jobs.resends().values()).containsOnly(times);
    }
}
