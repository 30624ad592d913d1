package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
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

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class ResultStoreTest {

    private static final long OUR_EPOCH = 7;
    private static final long OTHER_EPOCH = 8;
    private static final Instant RETRY_TIME = StoreFixture.NOON.plusSeconds(30);

    private static StoreFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new StoreFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    @Test
    void a_finished_delivery_moves_from_work_to_history() {
        var delivery = fixture.owned(OUR_EPOCH);
        var result = StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED);

        assertThat(fixture.write(OUR_EPOCH, result)).containsExactly(result);

        assertThat(fixture.workState(delivery)).isEmpty();
        assertThat(fixture.attempts(delivery)).isEmpty();
        fixture.db.run(tx ->
                tx.single(
                        "select * from delivery where id = ?",
                        row -> {
                            assertThat(row.uuid("source_id")).isEqualTo(delivery.source().value());
                            assertThat(row.uuid("connection_id"))
                                    .isEqualTo(delivery.connection().value());
                            assertThat(row.instant("finished_at")).isEqualTo(StoreFixture.NOON);
                            assertThat(row.instant("attempted_at")).isEqualTo(StoreFixture.NOON);
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
                        delivery.id().value()));
    }

    @ParameterizedTest
    @EnumSource(
            value = DeliveryStatus.class,
            names = {"SUCCEEDED", "FAILED", "EXHAUSTED"})
    void the_last_attempt_ends_it_as_the_verdict_says(DeliveryStatus status) {
        var delivery = fixture.owned(OUR_EPOCH);

        fixture.write(OUR_EPOCH, StoreFixture.finished(delivery, status));

        assertThat(fixture.status(delivery)).contains(status);
        assertThat(fixture.ledger(delivery.connection().value()))
                .containsEntry(StoreFixture.UsageCount.outcomes(status), 1);
    }

    @Test
    void a_success_is_taken_from_anyone() {
        var others = fixture.owned(OTHER_EPOCH);
        var waiting = fixture.waiting(Some.route(Some.sourceId()));
        var tried = fixture.owned(OUR_EPOCH);
        fixture.write(OUR_EPOCH, StoreFixture.retried(tried, RETRY_TIME));

        var batch =
                List.of(
                        StoreFixture.finished(others, DeliveryStatus.SUCCEEDED),
                        StoreFixture.finished(waiting, DeliveryStatus.SUCCEEDED),
                        StoreFixture.finished(tried, DeliveryStatus.SUCCEEDED));

        assertThat(fixture.write(OUR_EPOCH, batch.toArray(DeliveryResult[]::new)))
                .extracting(DeliveryResult::delivery)
                .containsExactly(others, waiting, tried);
        assertThat(fixture.workState(others)).isEmpty();
        assertThat(fixture.workState(waiting)).isEmpty();
        assertThat(fixture.workState(tried)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = DeliveryStatus.class,
            names = {"FAILED", "EXHAUSTED"})
    void a_failure_counts_only_at_the_attempt_at_which_the_row_stands(DeliveryStatus status) {
        var delivery = fixture.owned(OUR_EPOCH);
        fixture.write(OUR_EPOCH, StoreFixture.retried(delivery, RETRY_TIME));

        assertThat(fixture.write(OUR_EPOCH, StoreFixture.finished(delivery, status))).isEmpty();
        assertThat(
                        fixture.write(
                                OUR_EPOCH,
                                StoreFixture.finished(StoreFixture.at(delivery, 2), status)))
                .isEmpty();
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 1));

        assertThat(
                        fixture.write(
                                OUR_EPOCH,
                                StoreFixture.finished(StoreFixture.at(delivery, 1), status)))
                .hasSize(1);
        assertThat(fixture.status(delivery)).contains(status);
    }

    @Test
    void a_retry_lets_it_wait_and_keeps_the_attempt() {
        var delivery = fixture.owned(OUR_EPOCH);
        var first = StoreFixture.retried(delivery, RETRY_TIME);
        var second = StoreFixture.retried(StoreFixture.at(delivery, 1), RETRY_TIME.plusSeconds(60));

        assertThat(fixture.write(OUR_EPOCH, first)).containsExactly(first);
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 1));
        assertThat(fixture.write(OTHER_EPOCH, second)).containsExactly(second);
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME.plusSeconds(60), 2));
        assertThat(fixture.attempts(delivery)).containsExactly(1, 2);
        assertThat(fixture.ledger(delivery.connection().value()))
                .doesNotContainKey(StoreFixture.UsageCount.outcomes(DeliveryStatus.FAILED));
    }

    @Test
    void a_retry_of_an_attempt_that_others_made_changes_nothing() {
        var delivery = fixture.owned(OUR_EPOCH);
        fixture.write(OUR_EPOCH, StoreFixture.retried(delivery, RETRY_TIME));

        assertThat(
                        fixture.write(
                                OTHER_EPOCH,
                                StoreFixture.retried(delivery, RETRY_TIME.plusSeconds(9))))
                .isEmpty();
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 1));
        assertThat(fixture.attempts(delivery)).containsExactly(1);
    }

    /// Another node took the attempt for lost and made it again. A node that was declared dead
    /// during the last attempt reports after another node began it again. See docs/oddities.md.
    @Test
    void
            a_late_failure_of_the_last_attempt_ends_the_delivery_and_only_its_repetition_is_not_told() {
        var delivery = fixture.waiting(Some.route(Some.sourceId()));
        var late = StoreFixture.finished(delivery, DeliveryStatus.EXHAUSTED);
        var repeated = StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED);

        assertThat(fixture.write(OUR_EPOCH, late)).hasSize(1);
        assertThat(fixture.write(OUR_EPOCH, repeated)).isEmpty();
        assertThat(fixture.status(delivery)).contains(DeliveryStatus.EXHAUSTED);
    }

    @Test
    void a_late_failure_of_the_last_attempt_changes_nothing_once_its_repetition_is_told() {
        var delivery = fixture.waiting(Some.route(Some.sourceId()));
        var late = StoreFixture.finished(delivery, DeliveryStatus.EXHAUSTED);
        fixture.write(OUR_EPOCH, StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED));

        assertThat(fixture.write(OUR_EPOCH, late)).isEmpty();
        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
    }

    @Test
    void a_late_success_is_numbered_after_the_attempts_that_were_made_meanwhile() {
        var delivery = fixture.owned(OUR_EPOCH);
        fixture.write(OTHER_EPOCH, StoreFixture.retried(delivery, RETRY_TIME));

        var late = StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED);
        assertThat(fixture.write(OUR_EPOCH, late)).hasSize(1);

        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
        assertThat(fixture.attempts(delivery)).containsExactly(1);
        int made =
                fixture.db.call(tx ->
                        tx.single(
                                "select attempts from delivery where id = ?",
                                row -> row.integer("attempts"),
                                delivery.id().value()));
        assertThat(made).isEqualTo(2);
    }

    @Test
    void only_its_owner_puts_a_delivery_back() {
        var delivery = fixture.owned(OUR_EPOCH);

        assertThat(fixture.write(OTHER_EPOCH, StoreFixture.released(delivery, RETRY_TIME)))
                .isEmpty();
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.ownedBy(OUR_EPOCH));

        assertThat(fixture.write(OUR_EPOCH, StoreFixture.released(delivery, RETRY_TIME)))
                .hasSize(1);
        assertThat(fixture.workState(delivery))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 0));
        assertThat(fixture.attempts(delivery)).isEmpty();
    }

    @Test
    void a_batch_written_twice_changes_nothing_the_second_time() {
        var route = Some.route(Some.sourceId());
        var done = fixture.owned(OUR_EPOCH, route);
        var failed = fixture.owned(OUR_EPOCH, route);
        var again = fixture.owned(OUR_EPOCH, route);
        var back = fixture.owned(OUR_EPOCH, route);
        var batch =
                new DeliveryResult[] {
                    StoreFixture.finished(done, DeliveryStatus.SUCCEEDED),
                    StoreFixture.finished(failed, DeliveryStatus.FAILED),
                    StoreFixture.retried(again, RETRY_TIME),
                    StoreFixture.released(back, RETRY_TIME)
                };
        assertThat(fixture.write(OUR_EPOCH, batch)).containsExactly(batch);
        var ledger = fixture.ledger(route.connection().id().value());

        assertThat(fixture.write(OUR_EPOCH, batch)).isEmpty();

        assertThat(fixture.workState(again))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 1));
        assertThat(fixture.attempts(again)).containsExactly(1);
        assertThat(fixture.workState(back))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 0));
        assertThat(fixture.ledger(route.connection().id().value()))
                .isEqualTo(ledger)
                .containsEntry(StoreFixture.UsageCount.outcomes(DeliveryStatus.SUCCEEDED), 1)
                .containsEntry(StoreFixture.UsageCount.outcomes(DeliveryStatus.FAILED), 1)
                .containsEntry(StoreFixture.UsageCount.deliveries(Trigger.INGEST), 4);
    }

    @Test
    void the_same_result_twice_in_a_batch_counts_once() {
        var delivery = fixture.owned(OUR_EPOCH);
        var result = StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED);

        assertThat(fixture.write(OUR_EPOCH, result, result)).hasSize(1);
        assertThat(fixture.ledger(delivery.connection().value()))
                .containsEntry(StoreFixture.UsageCount.outcomes(DeliveryStatus.SUCCEEDED), 1);
    }

    /// A stopping node puts back attempts that exceed its stop timeout; their responses may still
    /// arrive.
    @Test
    void an_answer_that_comes_just_after_the_delivery_was_put_back_is_not_lost() {
        var done = fixture.owned(OUR_EPOCH);
        var again = fixture.owned(OUR_EPOCH);

        fixture.write(
                OUR_EPOCH,
                StoreFixture.released(done, RETRY_TIME),
                StoreFixture.released(again, RETRY_TIME),
                StoreFixture.finished(done, DeliveryStatus.SUCCEEDED),
                StoreFixture.retried(again, RETRY_TIME));

        assertThat(fixture.workState(done)).isEmpty();
        assertThat(fixture.status(done)).contains(DeliveryStatus.SUCCEEDED);
        assertThat(fixture.ledger(done.connection().value()))
                .containsEntry(StoreFixture.UsageCount.outcomes(DeliveryStatus.SUCCEEDED), 1);
        assertThat(fixture.workState(again))
                .contains(StoreFixture.WorkRowState.waiting(RETRY_TIME, 1));
        assertThat(fixture.attempts(again)).containsExactly(1);
    }

    @Test
    void a_delivery_may_end_without_an_attempt() {
        var delivery = fixture.waiting(Some.route(Some.sourceId()));

        fixture.write(
                OUR_EPOCH,
                new DeliveryResult.FinalResult(
                        delivery,
                        DeliveryStatus.FAILED,
                        Optional.empty(),
                        Optional.of(ErrorCode.CONNECTION_DELETED),
                        RETRY_TIME));

        fixture.db.run(tx ->
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
                        delivery.id().value()));
    }

    @Test
    void an_answer_of_any_characters_can_be_kept() {
        var delivery = fixture.owned(OUR_EPOCH);
        var attempt =
                new Attempt(
                        1,
                        StoreFixture.NOON,
                        new Attempt.UsedSettings(Some.id(), 1),
                        Duration.ofMillis(1),
                        Optional.empty(),
                        Optional.of(ErrorCode.INVALID_RESPONSE),
                        Optional.of("The answer is not valid HTTP: \0 ğ 🔑"),
                        Optional.of("\0 body"));

        assertThat(
                        fixture.write(
                                OUR_EPOCH,
                                new DeliveryResult.FinalResult(
                                        delivery,
                                        DeliveryStatus.EXHAUSTED,
                                        Optional.of(attempt),
                                        Optional.empty(),
                                        RETRY_TIME)))
                .hasSize(1);
        assertThat(message(delivery)).isEqualTo("The answer is not valid HTTP: \ufffd ğ 🔑");
    }

    private static String message(UnfinishedDelivery delivery) {
        return fixture.db.call(tx ->
                tx.single(
                        "select error_message from delivery where id = ?",
                        row -> row.text("error_message"),
                        delivery.id().value()));
    }
}
