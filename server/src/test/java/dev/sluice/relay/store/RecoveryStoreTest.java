package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Recoveries;
import dev.sluice.relay.WireTrace;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.util.List;

@ResourceLock(Stored.ROOM)
class RecoveryStoreTest {

    private static Stored stored;

    @BeforeAll
    static void open() {
        stored = new Stored();
    }

    @AfterAll
    static void close() {
        stored.close();
    }

    private static WireTrace trace(Work work, long epoch, boolean isAlone) {
        return new WireTrace(work.id(), work.source(), work.attempts(), epoch, isAlone);
    }

    private static int count(WireTrace... traces) {
        return stored.db.call(tx -> RecoveryStore.count(tx, List.of(traces)));
    }

    private static int recoveries(Work work) {
        return stored.standing(work).orElseThrow().recoveries();
    }

    private static Work died(int inCompany, int alone) {
        var work = stored.owned(1);
        for (int epoch = 1; epoch <= inCompany + alone; epoch++) {
            count(trace(work, epoch, epoch > inCompany));
        }
        return work;
    }

    @Test
    void a_death_counts_for_what_was_on_the_wire_and_for_nothing_else() {
        var sent = stored.owned(4);
        var waiting = stored.waiting(Some.route(Some.sourceId()));
        var queued = stored.owned(4);

        assertThat(count(trace(sent, 4, false), trace(waiting, 4, false))).isEqualTo(2);

        assertThat(recoveries(sent)).isEqualTo(1);
        assertThat(recoveries(waiting)).isEqualTo(1);
        assertThat(recoveries(queued)).isZero();
    }

    @Test
    void counting_again_changes_nothing() {
        var work = stored.owned(4);
        count(trace(work, 4, false));

        assertThat(count(trace(work, 4, false))).isZero();
        assertThat(count(trace(work, 3, false))).as("of an earlier epoch").isZero();
        assertThat(recoveries(work)).isEqualTo(1);

        assertThat(count(trace(work, 5, false))).isEqualTo(1);
        assertThat(recoveries(work)).isEqualTo(2);
    }

    @Test
    void another_attempt_than_the_one_it_stands_at_does_not_count() {
        var work = stored.owned(4);

        assertThat(count(trace(Stored.at(work, 1), 4, false))).isZero();
        assertThat(recoveries(work)).isZero();
    }

    @Test
    void a_finished_delivery_and_one_of_another_database_do_not_count() {
        var finished = stored.owned(4);
        stored.write(4, Stored.finished(finished, DeliveryStatus.SUCCEEDED));
        var elsewhere = new WireTrace(finished.id(), Some.sourceId(), 0, 4, false);

        assertThat(count(trace(finished, 4, false), elsewhere)).isZero();
        assertThat(count()).isZero();
    }

    @Test
    void in_company_at_most_three_are_counted() {
        var work = died(5, 0);

        assertThat(recoveries(work)).isEqualTo(3);
        assertThat(Recoveries.isSuspect(2)).isFalse();
        assertThat(Recoveries.isSuspect(3)).isTrue();
    }

    @Test
    void only_deaths_with_it_alone_make_it_poison() {
        assertThat(recoveries(died(3, 1))).isEqualTo(4);
        assertThat(recoveries(died(3, 2))).isEqualTo(5);
        assertThat(recoveries(died(3, 3))).isEqualTo(5);
        assertThat(Recoveries.isPoison(4)).isFalse();
        assertThat(Recoveries.isPoison(5)).isTrue();
    }

    @Test
    void a_death_in_company_takes_nothing_back() {
        var work = died(3, 1);

        count(trace(work, 9, false));

        assertThat(recoveries(work)).isEqualTo(4);
    }

    @Test
    void the_next_attempt_begins_with_none() {
        var work = died(2, 0);

        stored.write(1, Stored.retried(work, Stored.NOON));

        assertThat(recoveries(work)).isZero();
        assertThat(count(trace(work, 7, false))).as("the attempt before").isZero();
        assertThat(count(trace(Stored.at(work, 1), 7, false))).isEqualTo(1);
    }
}
