package dev.sluice.testkit;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.send.Parcel;
import dev.sluice.relay.send.Sender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Sends nothing, notes what it is given, and answers for each host as the test says; 200 where it
/// says nothing. A host that hangs answers when it is let go.
public final class ScriptedSender implements Sender {

    private final Map<String, List<Integer>> answers = new HashMap<>();
    private final Map<String, Integer> usual = new HashMap<>();
    private final Map<String, Duration> latencies = new HashMap<>();
    private final Set<String> hanging = new HashSet<>();
    private final Map<String, Integer> permitted = new HashMap<>();
    private final Map<String, Integer> atOnce = new HashMap<>();
    private final Map<String, Integer> mostAtOnce = new HashMap<>();
    private final List<Parcel> parcels = new ArrayList<>();

    /// The next answers, in order; after them the usual one.
    public synchronized void willAnswer(String host, Integer... statuses) {
        answers.put(host, new ArrayList<>(List.of(statuses)));
    }

    public synchronized void alwaysAnswers(String host, int status) {
        usual.put(host, status);
    }

    /// Attempts are said to have taken so long; nobody waits for it.
    public synchronized void takes(String host, Duration latency) {
        latencies.put(host, latency);
    }

    public synchronized void hang(String host) {
        hanging.add(host);
    }

    /// From now on this host answers as often as it is permitted to.
    public synchronized void pace(String host) {
        permitted.put(host, 0);
    }

    public synchronized void permit(String host, int answers) {
        permitted.merge(host, answers, Integer::sum);
        notifyAll();
    }

    public synchronized void letGo(String host) {
        hanging.remove(host);
        permitted.remove(host);
        notifyAll();
    }

    @Override
    public synchronized Outcome send(Parcel parcel, BooleanSupplier mayStart) {
        String host = parcel.url().host().text();
        parcels.add(parcel);
        int now = atOnce.merge(host, 1, Integer::sum);
        mostAtOnce.merge(host, now, Math::max);
        try {
            while (hanging.contains(host) || permitted.getOrDefault(host, 1) == 0) {
                wait();
            }
            permitted.computeIfPresent(host, (_, left) -> left - 1);
            var next = answers.getOrDefault(host, List.of());
            int status = next.isEmpty() ? usual.getOrDefault(host, 200) : next.removeFirst();
            var latency = latencies.getOrDefault(host, Duration.ofMillis(3));
            return new Outcome.Answered(status, "answer", latency, Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.Unreachable(ErrorCode.INTERRUPTED, "stopped", Duration.ZERO);
        } finally {
            atOnce.merge(host, -1, Integer::sum);
        }
    }

    /// All it was given, in order.
    public synchronized List<Parcel> parcels() {
        return List.copyOf(parcels);
    }

    public synchronized List<DeliveryId> sentTo(String host) {
        return parcels.stream()
                .filter(parcel -> parcel.url().host().text().equals(host))
                .map(Parcel::delivery)
                .toList();
    }

    public synchronized int atOnce(String host) {
        return atOnce.getOrDefault(host, 0);
    }

    public synchronized int mostAtOnce(String host) {
        return mostAtOnce.getOrDefault(host, 0);
    }
}
