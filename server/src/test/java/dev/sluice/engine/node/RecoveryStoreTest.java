package dev.sluice.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.engine.PoisonPolicy;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.StoreFixture;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.List;

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class RecoveryStoreTest {

    private static StoreFixture fixture;

    @BeforeAll
    static void open() {
        fixture = new StoreFixture();
    }

    @AfterAll
    static void close() {
        fixture.close();
    }

    private static InterruptedAttempt trace(
            UnfinishedDelivery delivery, long epoch, boolean isAlone) {
        return new InterruptedAttempt(
                delivery.id(), delivery.source(), delivery.attempts(), epoch, isAlone);
    }

    private static int count(InterruptedAttempt... traces) {
        return fixture.db.call(tx -> RecoveryStore.recordRecoveries(tx, List.of(traces)));
    }

    private static int recoveries(UnfinishedDelivery delivery) {
        return fixture.workState(delivery).orElseThrow().recoveries();
    }

    private static UnfinishedDelivery died(int inCompany, int alone) {
        var delivery = fixture.owned(1);
        for (int epoch = 1; epoch <= inCompany + alone; epoch++) {
            count(trace(delivery, epoch, epoch > inCompany));
        }
        return delivery;
    }

    @Test
    void a_death_counts_for_what_was_on_the_wire_and_for_nothing_else() {
        var sent = fixture.owned(4);
        var waiting = fixture.waiting(Some.route(Some.sourceId()));
        var queued = fixture.owned(4);

        assertThat(count(trace(sent, 4, false), trace(waiting, 4, false))).isEqualTo(2);

        assertThat(recoveries(sent)).isEqualTo(1);
        assertThat(recoveries(waiting)).isEqualTo(1);
        assertThat(recoveries(queued)).isZero();
    }

    @Test
    void counting_again_changes_nothing() {
        var delivery = fixture.owned(4);
        count(trace(delivery, 4, false));

        assertThat(count(trace(delivery, 4, false))).isZero();
        assertThat(count(trace(delivery, 3, false))).as("of an earlier epoch").isZero();
        assertThat(recoveries(delivery)).isEqualTo(1);

        assertThat(count(trace(delivery, 5, false))).isEqualTo(1);
        assertThat(recoveries(delivery)).isEqualTo(2);
    }

    @Test
    void another_attempt_than_the_one_it_stands_at_does_not_count() {
        var delivery = fixture.owned(4);

        assertThat(count(trace(StoreFixture.at(delivery, 1), 4, false))).isZero();
        assertThat(recoveries(delivery)).isZero();
    }

    @Test
    void a_finished_delivery_and_one_of_another_database_do_not_count() {
        var finished = fixture.owned(4);
        fixture.write(4, StoreFixture.finished(finished, DeliveryStatus.SUCCEEDED));
        var elsewhere = new InterruptedAttempt(finished.id(), Some.sourceId(), 0, 4, false);

        assertThat(count(trace(finished, 4, false), elsewhere)).isZero();
        assertThat(count()).isZero();
    }

    @Test
    void in_company_at_most_three_are_counted() {
        var delivery = died(5, 0);

        assertThat(recoveries(delivery)).isEqualTo(3);
        assertThat(PoisonPolicy.isSuspect(2)).isFalse();
        assertThat(PoisonPolicy.isSuspect(3)).isTrue();
    }

    @Test
    void only_deaths_with_it_alone_make_it_poison() {
        assertThat(recoveries(died(3, 1))).isEqualTo(4);
        assertThat(recoveries(died(3, 2))).isEqualTo(5);
        assertThat(recoveries(died(3, 3))).isEqualTo(5);
        assertThat(PoisonPolicy.isPoison(4)).isFalse();
        assertThat(PoisonPolicy.isPoison(5)).isTrue();
    }

    @Test
    void a_death_in_company_takes_nothing_back() {
        var delivery = died(3, 1);

        count(trace(delivery, 9, false));

        assertThat(recoveries(delivery)).isEqualTo(4);
    }

    @Test
    void the_next_attempt_begins_with_none() {
        var delivery = died(2, 0);

        fixture.write(1, StoreFixture.retried(delivery, StoreFixture.NOON));

        assertThat(recoveries(delivery)).isZero();
        assertThat(count(trace(delivery, 7, false))).as("the attempt before").isZero();
        assertThat(count(trace(StoreFixture.at(delivery, 1), 7, false))).isEqualTo(1);
    }
}
