package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

class WaitingResultsTest {

    private static final int CAPACITY = 100;

    private final WaitingResults queue = new WaitingResults(CAPACITY);

    private static DeliveryResult result() {
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        new SourceId(Some.id()),
                        new ConnectionId(Some.id()),
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        return new DeliveryResult.ReleaseResult(delivery, Instant.EPOCH);
    }

    private DeliveryResult first() throws InterruptedException {
        return Objects.requireNonNull(queue.poll(Duration.ofSeconds(10)));
    }

    @Test
    void results_that_come_during_the_wait_are_in_the_same_batch() throws InterruptedException {
        var all = List.of(result(), result(), result());
        queue.put(all.get(0), false);
        var first = first();
        queue.put(all.get(1), false);
        queue.put(all.get(2), false);

        assertThat(queue.batchFrom(first, 10)).isEqualTo(all);
        assertThat(queue.size()).isZero();
    }

    @Test
    void a_result_that_nothing_waits_for_waits_longer_for_company() throws InterruptedException {
        queue.put(result(), false);
        long begun = System.nanoTime();

        assertThat(queue.batchFrom(first(), 10)).hasSize(1);

        assertThat(System.nanoTime() - begun).isGreaterThan(Duration.ofMillis(20).toNanos());
    }

    @Test
    void the_wait_grows_while_it_brings_results_and_shrinks_while_it_brings_none()
            throws InterruptedException {
        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(25));
        takeBatch(2);
        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(50));
        takeBatch(2);
        takeBatch(2);
        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(100));

        takeBatch(1);
        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(50));
        takeBatch(1);
        takeBatch(1);
        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(25));
    }

    @Test
    void a_wait_that_is_cut_short_does_not_change_the_next() throws InterruptedException {
        queue.put(result(), true);
        queue.put(result(), false);

        assertThat(queue.batchFrom(first(), 10)).hasSize(2);

        assertThat(queue.linger()).isEqualTo(Duration.ofMillis(25));
    }

    private void takeBatch(int size) throws InterruptedException {
        for (int i = 0; i < size; i++) {
            queue.put(result(), false);
        }
        assertThat(queue.batchFrom(first(), 10)).hasSize(size);
    }

    @Test
    void a_batch_is_limited_and_the_rest_stays_in_order() throws InterruptedException {
        var all = new ArrayList<DeliveryResult>();
        for (int i = 0; i < CAPACITY; i++) {
            all.add(result());
            queue.put(all.getLast(), false);
        }

        assertThat(queue.batchFrom(first(), 70)).isEqualTo(all.subList(0, 70));
        assertThat(queue.batchFrom(first(), 70)).isEqualTo(all.subList(70, CAPACITY));
    }

    @Test
    void whoever_adds_waits_while_the_queue_is_full() throws InterruptedException {
        for (int i = 0; i < CAPACITY; i++) {
            queue.put(result(), true);
        }
        var late =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                queue.put(result(), true);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        await().until(() -> late.getState() == Thread.State.WAITING);
        assertThat(queue.size()).isEqualTo(CAPACITY);

        var _ = first();

        await().until(() -> !late.isAlive());
        assertThat(queue.size()).isEqualTo(CAPACITY);
    }

    @Test
    void a_closed_queue_makes_nobody_wait_and_loses_nothing() throws InterruptedException {
        queue.put(result(), false);
        queue.close();
        queue.put(result(), false);

        assertThat(queue.batchFrom(first(), 10)).hasSize(2);
        assertThat(queue.poll(Duration.ofHours(1))).isNull();
    }

    @Test
    void closing_ends_the_wait_for_a_first_result() {
        var writer =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                var _ = queue.poll(Duration.ofHours(1));
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);

        queue.close();

        await().until(() -> !writer.isAlive());
    }
}
