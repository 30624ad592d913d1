package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Payload;
import dev.sluice.relay.send.Opened;
import dev.sluice.relay.send.Parcel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/// Everything that is not the relay: senders, who remember what they were told, and receivers, who
/// remember what came. Outlives any process.
///
/// A receiver answers by its host's name and by the delivery alone, so what becomes of a delivery
/// in the end does not depend on who sends it, or how often.
final class Outside {

    /// Answers 200.
    static final String GOOD = "good.example";

    /// Answers 503 once or twice, then 200.
    static final String FLAKY = "flaky.example";

    /// Answers 410.
    static final String GONE = "gone.example";

    /// One request that reached a receiver.
    record Arrival(DeliveryId delivery, int attempt) {}

    /// What was offered, by event: its body and how many deliveries it means.
    record Offer(Payload payload, int deliveries) {}

    private final Map<EventId, Offer> offered = new ConcurrentHashMap<>();
    private final Set<EventId> answered = ConcurrentHashMap.newKeySet();

    /// Guarded by this object, in the order in which they came.
    private final List<Arrival> arrivals = new ArrayList<>();

    /// Guarded by this object: host by delivery.
    private final Map<DeliveryId, String> hosts = new HashMap<>();

    /// Guarded by this object: bodies that were not what was offered.
    private final List<EventId> altered = new ArrayList<>();

    /// Guarded by this object: how often an arrival may come again, because a process died when
    /// nobody had written down what came of it.
    private final Map<Arrival, Integer> excused = new HashMap<>();

    private volatile CountDownLatch answers = new CountDownLatch(0);

    void offer(EventId event, Payload payload, int deliveries) {
        offered.put(event, new Offer(payload, deliveries));
    }

    void answered(EventId event) {
        answered.add(event);
    }

    int answers() {
        return answered.size();
    }

    /// Receivers take requests and answer none until they are let go.
    void hang() {
        answers = new CountDownLatch(1);
    }

    void letGo() {
        answers.countDown();
    }

    synchronized void arrived(Parcel parcel) {
        arrivals.add(new Arrival(parcel.delivery(), parcel.attempt()));
        hosts.put(parcel.delivery(), parcel.url().host().text());
        var offer = offered.get(parcel.event());
        if (offer == null || !Arrays.equals(offer.payload().body(), Opened.body(parcel))) {
            altered.add(parcel.event());
        }
    }

    /// What the receiver says to it, when it does.
    Outcome answer(Parcel parcel) {
        try {
            answers.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String host = parcel.url().host().text();
        int status =
                switch (host) {
                    case FLAKY -> parcel.attempt() <= refusals(parcel.delivery()) ? 503 : 200;
                    case GONE -> 410;
                    default -> 200;
                };
        return new Outcome.Answered(status, "answer", Duration.ofMillis(1), Optional.empty());
    }

    /// How often the flaky receiver refuses it.
    private static int refusals(DeliveryId delivery) {
        return 1 + (int) (delivery.value().getLeastSignificantBits() >>> 12 & 1);
    }

    /// A process died: of these deliveries, each at its next attempt, nobody knows whether they
    /// were sent.
    synchronized void excuse(Map<DeliveryId, Integer> nextAttempts) {
        for (var arrival : Set.copyOf(arrivals)) {
            if (nextAttempts.getOrDefault(arrival.delivery(), 0) == arrival.attempt()) {
                excused.merge(arrival, 1, Integer::sum);
            }
        }
    }

    /// @param ends how each finished delivery ended, and after how many attempts
    synchronized void check(String where, Map<DeliveryId, Books.End> ends) {
        assertThat(altered).as("altered or never sent, %s", where).isEmpty();
        var arrived = new HashMap<Arrival, Integer>();
        var newest = new HashMap<DeliveryId, Integer>();
        for (var arrival : arrivals) {
            arrived.merge(arrival, 1, Integer::sum);
            int before = newest.getOrDefault(arrival.delivery(), 0);
            assertThat(arrival.attempt())
                    .as("attempts go on by one, %s", where)
                    .isBetween(Math.max(before, 1), Math.min(before + 1, 3));
            newest.put(arrival.delivery(), arrival.attempt());
        }
        arrived.forEach((arrival, count) ->
                assertThat(count)
                        .as("%s came more often than crashes excuse, %s", arrival, where)
                        .isLessThanOrEqualTo(1 + excused.getOrDefault(arrival, 0)));
        for (var event : answered) {
            int deliveries = Objects.requireNonNull(offered.get(event)).deliveries();
            for (int ordinal = 1; ordinal <= deliveries; ordinal++) {
                var delivery = DeliveryId.of(event, ordinal);
                assertThat(newest).as("answered 200 and lost, %s", where).containsKey(delivery);
                assertThat(ends.get(delivery))
                        .as("the end of %s, %s", delivery, where)
                        .isEqualTo(end(delivery));
            }
        }
    }

    private Books.End end(DeliveryId delivery) {
        return switch (hosts.getOrDefault(delivery, "")) {
            case FLAKY -> new Books.End(DeliveryStatus.SUCCEEDED, refusals(delivery) + 1);
            case GONE -> new Books.End(DeliveryStatus.FAILED, 1);
            default -> new Books.End(DeliveryStatus.SUCCEEDED, 1);
        };
    }
}
