package dev.sluice.testkit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.engine.send.Sender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// A sender without a network: it records each request and answers as the test scripted for the
/// host. An unscripted host answers 200. Thread-safe.
///
/// A hanging host answers once the test calls `release`.
public final class ScriptedSender implements Sender {

    private final Map<String, List<Integer>> answers = new HashMap<>();
    private final Map<String, Integer> defaultAnswers = new HashMap<>();
    private final Map<String, Duration> latencies = new HashMap<>();
    private final Set<String> hanging = new HashSet<>();
    private final Map<String, Integer> permitted = new HashMap<>();
    private final Map<String, Integer> inFlight = new HashMap<>();
    private final Map<String, Integer> maxInFlight = new HashMap<>();
    private final List<OutboundRequest> requests = new ArrayList<>();

    /// Scripts the next answers of a host, in order. The default answer follows them.
    public synchronized void willAnswer(String host, Integer... statuses) {
        answers.put(host, new ArrayList<>(List.of(statuses)));
    }

    public synchronized void alwaysAnswer(String host, int status) {
        defaultAnswers.put(host, status);
    }

    /// Sets the latency that outcomes report. No attempt waits for it.
    public synchronized void setLatency(String host, Duration latency) {
        latencies.put(host, latency);
    }

    public synchronized void hang(String host) {
        hanging.add(host);
    }

    /// Lets this host answer only as often as `permit` allows.
    public synchronized void answerOnPermit(String host) {
        permitted.put(host, 0);
    }

    public synchronized void permit(String host, int answers) {
        permitted.merge(host, answers, Integer::sum);
        notifyAll();
    }

    public synchronized void release(String host) {
        hanging.remove(host);
        permitted.remove(host);
        notifyAll();
    }

    @Override
    public synchronized Outcome send(OutboundRequest request, BooleanSupplier mayStart) {
        String host = request.url().host().text();
        requests.add(request);
        int now = inFlight.merge(host, 1, Integer::sum);
        maxInFlight.merge(host, now, Math::max);
        try {
            while (hanging.contains(host) || permitted.getOrDefault(host, 1) == 0) {
                wait();
            }
            permitted.computeIfPresent(host, (_, left) -> left - 1);
            var next = answers.getOrDefault(host, List.of());
            int status =
                    next.isEmpty() ? defaultAnswers.getOrDefault(host, 200) : next.removeFirst();
            var latency = latencies.getOrDefault(host, Duration.ofMillis(3));
            return new Outcome.DestinationResponse(status, "answer", latency, Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.AttemptError(ErrorCode.INTERRUPTED, "stopped", Duration.ZERO);
        } finally {
            inFlight.merge(host, -1, Integer::sum);
        }
    }

    /// Returns all requests, in order.
    public synchronized List<OutboundRequest> requests() {
        return List.copyOf(requests);
    }

    public synchronized List<DeliveryId> sentTo(String host) {
        return requests.stream()
                .filter(request -> request.url().host().text().equals(host))
                .map(OutboundRequest::delivery)
                .toList();
    }

    public synchronized int inFlight(String host) {
        return inFlight.getOrDefault(host, 0);
    }

    public synchronized int maxInFlight(String host) {
        return maxInFlight.getOrDefault(host, 0);
    }
}
