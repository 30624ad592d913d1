package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

@ResourceLock(Stored.ROOM)
class ResultStoreTest {

    private static final long OURS = 7;
    private static final long OTHERS = 8;
    private static final Instant LATER = Stored.NOON.plusSeconds(30);

    private static Stored stored;

    @BeforeAll
    static void open() {
        stored = new Stored();
    }

    @AfterAll
    static void close() {
        stored.close();
    }

    @Test
    void a_finished_delivery_moves_from_work_to_history() {
        var work = stored.owned(OURS);
        var settled = Stored.finished(work, DeliveryStatus.SUCCEEDED);

        assertThat(stored.write(OURS, settled)).containsExactly(settled);

        assertThat(stored.standing(work)).isEmpty();
        assertThat(stored.attempts(work)).isEmpty();
        stored.db.run(tx ->
                tx.single(
                        "select * from delivery where id = ?",
                        row -> {
                            assertThat(row.uuid("source_id")).isEqualTo(work.source().value());
                            assertThat(row.uuid("connection_id"))
                                    .isEqualTo(work.connection().value());
                            assertThat(row.instant("finished_at")).isEqualTo(Stored.NOON);
                            assertThat(row.instant("attempted_at")).isEqualTo(Stored.NOON);
                            assertThat(row.isNull("created_at")).isTrue();
                            assertThat(row.integer("status")).isEqualTo(3);
                            assertThat(row.integer("trigger")).isEqualTo(1);
                            assertThat(row.integer("attempts")).isEqualTo(1);
                            assertThat(row.integer("latency_ms")).isEqualTo(7);
                            assertThat(row.integer("response_status")).isEqualTo(200);
                            assertThat(row.isNull("error_code")).isTrue();
                            assertThat(row.isNull("error_message")).isTrue();
                            assertThat(row.bytes("response_body")).isEqualTo(new byte[] {'o', 'k'});
                            return true;
                        },
                        work.id().value()));
    }

    @ParameterizedTest
    @EnumSource(
            value = DeliveryStatus.class,
            names = {"SUCCEEDED", "FAILED", "EXHAUSTED"})
    void the_last_attempt_ends_it_as_the_verdict_says(DeliveryStatus status) {
        var work = stored.owned(OURS);

        stored.write(OURS, Stored.finished(work, status));

        assertThat(stored.status(work)).contains(status);
        assertThat(stored.ledger(work.connection().value()))
                .containsEntry("2/" + status.number(), 1);
    }

    @Test
    void a_success_is_taken_from_anyone() {
        var others = stored.owned(OTHERS);
        var waiting = stored.waiting(Some.route(Some.sourceId()));
        var tried = stored.owned(OURS);
        stored.write(OURS, Stored.retried(tried, LATER));

        var batch =
                List.of(
                        Stored.finished(others, DeliveryStatus.SUCCEEDED),
                        Stored.finished(waiting, DeliveryStatus.SUCCEEDED),
                        Stored.finished(tried, DeliveryStatus.SUCCEEDED));

        assertThat(stored.write(OURS, batch.toArray(Settled[]::new)))
                .extracting(Settled::work)
                .containsExactly(others, waiting, tried);
        assertThat(stored.standing(others)).isEmpty();
        assertThat(stored.standing(waiting)).isEmpty();
        assertThat(stored.standing(tried)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = DeliveryStatus.class,
            names = {"FAILED", "EXHAUSTED"})
    void a_failure_counts_only_at_the_attempt_at_which_the_row_stands(DeliveryStatus status) {
        var work = stored.owned(OURS);
        stored.write(OURS, Stored.retried(work, LATER));

        assertThat(stored.write(OURS, Stored.finished(work, status))).isEmpty();
        assertThat(stored.write(OURS, Stored.finished(Stored.at(work, 2), status))).isEmpty();
        assertThat(stored.standing(work)).contains(Stored.Standing.waiting(LATER, 1));

        assertThat(stored.write(OURS, Stored.finished(Stored.at(work, 1), status))).hasSize(1);
        assertThat(stored.status(work)).contains(status);
    }

    @Test
    void a_retry_lets_it_wait_and_keeps_the_attempt() {
        var work = stored.owned(OURS);
        var first = Stored.retried(work, LATER);
        var second = Stored.retried(Stored.at(work, 1), LATER.plusSeconds(60));

        assertThat(stored.write(OURS, first)).containsExactly(first);
        assertThat(stored.standing(work)).contains(Stored.Standing.waiting(LATER, 1));
        assertThat(stored.write(OTHERS, second)).containsExactly(second);
        assertThat(stored.standing(work))
                .contains(Stored.Standing.waiting(LATER.plusSeconds(60), 2));
        assertThat(stored.attempts(work)).containsExactly(1, 2);
        assertThat(stored.ledger(work.connection().value())).doesNotContainKey("2/4");
    }

    @Test
    void a_retry_of_an_attempt_that_others_made_changes_nothing() {
        var work = stored.owned(OURS);
        stored.write(OURS, Stored.retried(work, LATER));

        assertThat(stored.write(OTHERS, Stored.retried(work, LATER.plusSeconds(9)))).isEmpty();
        assertThat(stored.standing(work)).contains(Stored.Standing.waiting(LATER, 1));
        assertThat(stored.attempts(work)).containsExactly(1);
    }

    /// Another node took the attempt for lost and made it again.
    @Test
    void a_late_success_is_numbered_after_the_attempts_that_were_made_meanwhile() {
        var work = stored.owned(OURS);
        stored.write(OTHERS, Stored.retried(work, LATER));

        var late = Stored.finished(work, DeliveryStatus.SUCCEEDED);
        assertThat(stored.write(OURS, late)).hasSize(1);

        assertThat(stored.status(work)).contains(DeliveryStatus.SUCCEEDED);
        assertThat(stored.attempts(work)).containsExactly(1);
        int made =
                stored.db.call(tx ->
                        tx.single(
                                "select attempts from delivery where id = ?",
                                row -> row.integer("attempts"),
                                work.id().value()));
        assertThat(made).isEqualTo(2);
    }

    @Test
    void only_its_owner_puts_a_delivery_back() {
        var work = stored.owned(OURS);

        assertThat(stored.write(OTHERS, Stored.released(work, LATER))).isEmpty();
        assertThat(stored.standing(work)).contains(Stored.Standing.ownedBy(OURS));

        assertThat(stored.write(OURS, Stored.released(work, LATER))).hasSize(1);
        assertThat(stored.standing(work)).contains(Stored.Standing.waiting(LATER, 0));
        assertThat(stored.attempts(work)).isEmpty();
    }

    @Test
    void a_batch_written_twice_changes_nothing_the_second_time() {
        var route = Some.route(Some.sourceId());
        var done = stored.owned(OURS, route);
        var failed = stored.owned(OURS, route);
        var again = stored.owned(OURS, route);
        var back = stored.owned(OURS, route);
        var batch =
                new Settled[] {
                    Stored.finished(done, DeliveryStatus.SUCCEEDED),
                    Stored.finished(failed, DeliveryStatus.FAILED),
                    Stored.retried(again, LATER),
                    Stored.released(back, LATER)
                };
        assertThat(stored.write(OURS, batch)).containsExactly(batch);
        var ledger = stored.ledger(route.connection().id().value());

        assertThat(stored.write(OURS, batch)).isEmpty();

        assertThat(stored.standing(again)).contains(Stored.Standing.waiting(LATER, 1));
        assertThat(stored.attempts(again)).containsExactly(1);
        assertThat(stored.standing(back)).contains(Stored.Standing.waiting(LATER, 0));
        assertThat(stored.ledger(route.connection().id().value()))
                .isEqualTo(ledger)
                .containsEntry("2/3", 1)
                .containsEntry("2/4", 1)
                .containsEntry("3/1", 4);
    }

    @Test
    void the_same_result_twice_in_a_batch_counts_once() {
        var work = stored.owned(OURS);
        var settled = Stored.finished(work, DeliveryStatus.SUCCEEDED);

        assertThat(stored.write(OURS, settled, settled)).hasSize(1);
        assertThat(stored.ledger(work.connection().value())).containsEntry("2/3", 1);
    }

    /// A stop puts back what is on the wire when its time is over; the answer may come all the
    /// same.
    @Test
    void an_answer_that_comes_just_after_the_delivery_was_put_back_is_not_lost() {
        var done = stored.owned(OURS);
        var again = stored.owned(OURS);

        stored.write(
                OURS,
                Stored.released(done, LATER),
                Stored.released(again, LATER),
                Stored.finished(done, DeliveryStatus.SUCCEEDED),
                Stored.retried(again, LATER));

        assertThat(stored.standing(done)).isEmpty();
        assertThat(stored.status(done)).contains(DeliveryStatus.SUCCEEDED);
        assertThat(stored.ledger(done.connection().value())).containsEntry("2/3", 1);
        assertThat(stored.standing(again)).contains(Stored.Standing.waiting(LATER, 1));
        assertThat(stored.attempts(again)).containsExactly(1);
    }

    @Test
    void a_delivery_may_end_without_an_attempt() {
        var work = stored.waiting(Some.route(Some.sourceId()));

        stored.write(
                OURS,
                new Settled.Finished(
                        work,
                        DeliveryStatus.FAILED,
                        Optional.empty(),
                        Optional.of(ErrorCode.CONNECTION_DELETED),
                        LATER));

        stored.db.run(tx ->
                tx.single(
                        "select * from delivery where id = ?",
                        row -> {
                            assertThat(row.integer("attempts")).isZero();
                            assertThat(row.integer("error_code")).isEqualTo(14);
                            assertThat(row.isNull("attempted_at")).isTrue();
                            assertThat(row.isNull("revision")).isTrue();
                            assertThat(row.isNull("response_status")).isTrue();
                            return true;
                        },
                        work.id().value()));
    }

    @Test
    void an_answer_of_any_characters_can_be_kept() {
        var work = stored.owned(OURS);
        var attempt =
                new Attempt(
                        1,
                        Stored.NOON,
                        Some.id(),
                        Duration.ofMillis(1),
                        Optional.empty(),
                        Optional.of(ErrorCode.INVALID_RESPONSE),
                        Optional.of("The answer is not valid HTTP: \0 ğ 🔑"),
                        Optional.of("\0 body"));

        assertThat(
                        stored.write(
                                OURS,
                                new Settled.Finished(
                                        work,
                                        DeliveryStatus.EXHAUSTED,
                                        Optional.of(attempt),
                                        Optional.empty(),
                                        LATER)))
                .hasSize(1);
        assertThat(message(work)).isEqualTo("The answer is not valid HTTP: \ufffd ğ 🔑");
    }

    private static String message(Work work) {
        return stored.db.call(tx ->
                tx.single(
                        "select error_message from delivery where id = ?",
                        row -> row.text("error_message"),
                        work.id().value()));
    }
}
