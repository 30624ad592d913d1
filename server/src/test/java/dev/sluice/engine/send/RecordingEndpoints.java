package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Payload;

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

/// Everything outside the relay: senders, which remember their answers, and receivers, which
/// remember their requests. Outlives any process.
///
/// A receiver's answer depends only on its host name and the delivery. So a delivery's end does not
/// depend on which node sends it, or how often.
final class RecordingEndpoints {

    /// Answers 200.
    static final String GOOD = "good.example";

    /// Answers 503 once or twice, then 200.
    static final String FLAKY = "flaky.example";

    /// Answers 410.
    static final String GONE = "gone.example";

    /// A request that reached a receiver.
    record ReceivedAttempt(DeliveryId delivery, int attempt) {}

    /// An event that was offered: its payload and the number of its deliveries.
    record OfferedEvent(Payload payload, int deliveries) {}

    private final Map<EventId, OfferedEvent> offered = new ConcurrentHashMap<>();
    private final Set<EventId> answered = ConcurrentHashMap.newKeySet();

    /// In order of arrival. Guarded by this object.
    private final List<ReceivedAttempt> arrivals = new ArrayList<>();

    /// Host by delivery. Guarded by this object.
    private final Map<DeliveryId, String> hosts = new HashMap<>();

    /// Events whose body arrived changed. Guarded by this object.
    private final List<EventId> altered = new ArrayList<>();

    /// How often a request may arrive again, because a process died before the result was written.
    /// Guarded by this object.
    private final Map<ReceivedAttempt, Integer> excused = new HashMap<>();

    private volatile CountDownLatch answers = new CountDownLatch(0);

    void offer(EventId event, Payload payload, int deliveries) {
        offered.put(event, new OfferedEvent(payload, deliveries));
    }

    void answered(EventId event) {
        answered.add(event);
    }

    int answers() {
        return answered.size();
    }

    /// Receivers take requests and answer none until they are released.
    void hang() {
        answers = new CountDownLatch(1);
    }

    void letGo() {
        answers.countDown();
    }

    synchronized void arrived(OutboundRequest request) {
        arrivals.add(new ReceivedAttempt(request.delivery(), request.attempt()));
        hosts.put(request.delivery(), request.url().host().text());
        var offer = offered.get(request.event());
        if (offer == null || !Arrays.equals(offer.payload().body(), request.body().bytes())) {
            altered.add(request.event());
        }
    }

    /// The receiver's answer; waits while the receivers hang.
    Outcome answer(OutboundRequest request) {
        try {
            answers.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String host = request.url().host().text();
        int status =
                switch (host) {
                    case FLAKY -> request.attempt() <= refusals(request.delivery()) ? 503 : 200;
                    case GONE -> 410;
                    default -> 200;
                };
        return new Outcome.DestinationResponse(
                status, "answer", Duration.ofMillis(1), Optional.empty());
    }

    /// How often the flaky receiver refuses the delivery.
    private static int refusals(DeliveryId delivery) {
        return 1 + (int) (delivery.value().getLeastSignificantBits() >>> 12 & 1);
    }

    /// Allows repeats after a process died: it is unknown whether these next attempts were sent.
    synchronized void excuse(Map<DeliveryId, Integer> nextAttempts) {
        for (var arrival : Set.copyOf(arrivals)) {
            if (nextAttempts.getOrDefault(arrival.delivery(), 0) == arrival.attempt()) {
                excused.merge(arrival, 1, Integer::sum);
            }
        }
    }

    /// @param ends how each finished delivery ended, and after how many attempts
    synchronized void check(
            String where, Map<DeliveryId, DeliveryConservationCheck.RecordedEnd> ends) {
        assertThat(altered).as("altered or never sent, %s", where).isEmpty();
        var arrived = new HashMap<ReceivedAttempt, Integer>();
        var newest = new HashMap<DeliveryId, Integer>();
        for (var arrival : arrivals) {
            arrived.merge(arrival, 1, Integer::sum);
            int before = newest.getOrDefault(arrival.delivery(), 0);
            assertThat(arrival.attempt())
                    .as("attempts are numbered without gaps, %s", where)
                    .isBetween(Math.max(before, 1), Math.min(before + 1, 3));
            newest.put(arrival.delivery(), arrival.attempt());
        }
        arrived.forEach((arrival, count) ->
                assertThat(count)
                        .as("%s arrived more often than crashes explain, %s", arrival, where)
                        .isLessThanOrEqualTo(1 + excused.getOrDefault(arrival, 0)));
        for (var event : answered) {
            int deliveries = Objects.requireNonNull(offered.get(event)).deliveries();
            for (int ordinal = 1; ordinal <= deliveries; ordinal++) {
                var delivery = DeliveryId.of(event, ordinal);
                assertThat(newest).as("answered 200 and lost, %s", where).containsKey(delivery);
                assertThat(ends.get(delivery))
                        .as("how %s ended, %s", delivery, where)
                        .isEqualTo(end(delivery));
            }
        }
    }

    private DeliveryConservationCheck.RecordedEnd end(DeliveryId delivery) {
        return switch (hosts.getOrDefault(delivery, "")) {
            case FLAKY ->
                    new DeliveryConservationCheck.RecordedEnd(
                            DeliveryStatus.SUCCEEDED, refusals(delivery) + 1);
            case GONE -> new DeliveryConservationCheck.RecordedEnd(DeliveryStatus.FAILED, 1);
            default -> new DeliveryConservationCheck.RecordedEnd(DeliveryStatus.SUCCEEDED, 1);
        };
    }
}
