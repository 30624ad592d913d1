package dev.sluice.faults.fuzz;

import dev.sluice.bench.platform.Wait;
import dev.sluice.contract.OpenApiDocument;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/// Sends generated requests over several connections at the same time and counts the responses.
/// Both the number of requests and the total time are limited.
public final class FuzzRunner {

    /// The number of responses for each operation and status. `getMe 200` is an example of a key.
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();

    private final Map<String, Integer> kinds = new ConcurrentHashMap<>();
    private final Map<String, String> faults = new ConcurrentHashMap<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger faultyAnswers = new AtomicInteger();

    private final URI base;
    private final FuzzRequestGenerator generator;
    private final KnownIds known;
    private final ResponseChecker checker;

    FuzzRunner(URI base, OpenApiDocument document, FuzzCredentials credentials, long seed) {
        this.base = base;
        this.known = new KnownIds();
        this.generator = new FuzzRequestGenerator(document, known, credentials, seed);
        this.checker = new ResponseChecker(document);
    }

    /// Creates some objects that later requests can refer to.
    public FuzzRunner prepare() {
        try (var connection = new FuzzConnection(base)) {
            int number = -1;
            for (String operation :
                    List.of(
                            "createSource",
                            "createDestination",
                            "createConnection",
                            "createAlertConfig",
                            "createApiKey",
                            "createInvite",
                            "sendWebhook",
                            "listMembers",
                            "listWorkspaces",
                            "listDeliveries")) {
                for (int i = 0; i < 10; i++) {
                    send(connection, generator.valid(operation, number--));
                }
            }
        }
        return this;
    }

    /// Sends the requests from `first` up to but not including `end`. Stops after `most`; requests
    /// not sent by then are skipped.
    public void run(int first, int end, int connections, Duration most) {
        var next = new AtomicInteger(first);
        long stop = System.nanoTime() + most.toNanos();
        var done = new CountDownLatch(connections);
        var failures = new ConcurrentLinkedQueue<RuntimeException>();
        for (int i = 0; i < connections; i++) {
            Thread.ofVirtual()
                    .name("fuzz")
                    .start(() -> {
                        try (var connection = new FuzzConnection(base)) {
                            for (int number = next.getAndIncrement();
                                    number < end && System.nanoTime() - stop < 0;
                                    number = next.getAndIncrement()) {
                                send(connection, generator.generate(number));
                            }
                        } catch (RuntimeException e) {
                            failures.add(e);
                        } finally {
                            done.countDown();
                        }
                    });
        }
        // The last responses may arrive a little after the time limit.
        if (!Wait.until(most.plusSeconds(60), () -> done.getCount() == 0)) {
            throw new IllegalStateException("the connections did not end");
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("the fuzzer itself failed", failures.peek());
        }
    }

    private void send(FuzzConnection connection, FuzzRequest request) {
        sent.incrementAndGet();
        kinds.merge(request.kind(), 1, Integer::sum);
        try {
            var answer = connection.send(request);
            answers.merge(request.operation().id() + " " + answer.status(), 1, Integer::sum);
            var found = checker.faults(request, answer);
            found.forEach(
                    fault -> recordFault(fault, request, answer.status() + " " + answer.body()));
            faultyAnswers.addAndGet(found.isEmpty() ? 0 : 1);
            if (answer.status() / 100 == 2
                    && found.isEmpty()
                    && request.method().equals(request.operation().method())) {
                known.learn(request.operation(), request.path(), objectIn(answer.body()));
            }
        } catch (IOException e) {
            answers.merge(request.operation().id() + " none", 1, Integer::sum);
            recordFault("no answer: " + e.getMessage(), request, "");
            faultyAnswers.incrementAndGet();
        }
    }

    /// Returns the JSON object in a response. Returns an empty one if there is none: the owner of a
    /// source may declare any text to be JSON.
    private static JsonNode objectIn(String body) {
        if (body.startsWith("{")) {
            try {
                return JsonMapper.shared().readTree(body);
            } catch (JacksonException e) {
                // A source's own response, which is not checked.
            }
        }
        return JsonMapper.shared().createObjectNode();
    }

    /// Records one example of each fault for each operation.
    private void recordFault(String fault, FuzzRequest request, String answer) {
        String shown = answer.length() > 500 ? answer.substring(0, 500) + " …" : answer;
        faults.putIfAbsent(
                request.operation().id() + ": " + fault.replaceAll("/\\d+", "/*"),
                request + "\n    answered " + shown);
    }

    public int sent() {
        return sent.get();
    }

    /// Returns the number of requests whose response had a fault or did not arrive.
    public int faultyAnswers() {
        return faultyAnswers.get();
    }

    public Map<String, Integer> answers() {
        return new TreeMap<>(answers);
    }

    public Map<String, Integer> kinds() {
        return new TreeMap<>(kinds);
    }

    /// Returns an example of each fault. The keys name the operation and the fault.
    public Map<String, String> faults() {
        return new TreeMap<>(faults);
    }
}
