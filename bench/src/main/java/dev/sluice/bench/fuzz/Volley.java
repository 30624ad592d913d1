package dev.sluice.bench.fuzz;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Sends shots over several connections at once and keeps the count. Bounded in number and time.
public final class Volley {

    /// Answers by operation and status, such as `getMe 200`.
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();

    private final Map<String, Integer> kinds = new ConcurrentHashMap<>();
    private final Map<String, String> faults = new ConcurrentHashMap<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger faulty = new AtomicInteger();

    private final URI base;
    private final Shots shots;
    private final Known known;
    private final Judge judge;

    public Volley(URI base, Document document, String key, long seed) {
        this.base = base;
        this.known = new Known();
        this.shots = new Shots(document, known, key, seed);
        this.judge = new Judge(document);
    }

    /// Makes some things for the others to name.
    public Volley prepare() {
        try (var line = new Line(base)) {
            int number = -1;
            for (String operation :
                    List.of(
                            "createSource",
                            "createDestination",
                            "createConnection",
                            "sendWebhook")) {
                for (int i = 0; i < 10; i++) {
                    send(line, shots.valid(operation, number--));
                }
            }
        }
        return this;
    }

    /// Sends the shots from `first` to before `end`; those that time does not allow are left out.
    public void run(int first, int end, int connections, Duration most)
            throws InterruptedException {
        var next = new AtomicInteger(first);
        long stop = System.nanoTime() + most.toNanos();
        var done = new CountDownLatch(connections);
        for (int i = 0; i < connections; i++) {
            Thread.ofVirtual()
                    .name("fuzz")
                    .start(() -> {
                        try (var line = new Line(base)) {
                            for (int number = next.getAndIncrement();
                                    number < end && System.nanoTime() - stop < 0;
                                    number = next.getAndIncrement()) {
                                send(line, shots.number(number));
                            }
                        } finally {
                            done.countDown();
                        }
                    });
        }
        // A last answer may be waited for.
        if (!done.await(most.toSeconds() + 60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the connections did not end");
        }
    }

    private void send(Line line, Shot shot) {
        sent.incrementAndGet();
        kinds.merge(shot.kind(), 1, Integer::sum);
        try {
            var answer = line.send(shot);
            answers.merge(shot.operation().id() + " " + answer.status(), 1, Integer::sum);
            var found = judge.faults(shot, answer);
            found.forEach(fault -> note(fault, shot, answer.status() + " " + answer.body()));
            faulty.addAndGet(found.isEmpty() ? 0 : 1);
            if (answer.status() / 100 == 2
                    && found.isEmpty()
                    && shot.method().equals(shot.operation().method())) {
                boolean isJson = answer.body().startsWith("{");
                known.learn(
                        shot.operation(),
                        shot.path(),
                        isJson
                                ? JsonMapper.shared().readTree(answer.body())
                                : JsonMapper.shared().createObjectNode());
            }
        } catch (IOException e) {
            answers.merge(shot.operation().id() + " none", 1, Integer::sum);
            note("no answer: " + e.getMessage(), shot, "");
            faulty.incrementAndGet();
        }
    }

    /// One example of each fault of each operation.
    private void note(String fault, Shot shot, String answer) {
        String shown = answer.length() > 500 ? answer.substring(0, 500) + " …" : answer;
        faults.putIfAbsent(
                shot.operation().id() + ": " + fault.replaceAll("/\\d+", "/*"),
                shot + "\n    answered " + shown);
    }

    public int sent() {
        return sent.get();
    }

    /// How many answers had a fault.
    public int faulty() {
        return faulty.get();
    }

    public Map<String, Integer> answers() {
        return new TreeMap<>(answers);
    }

    public Map<String, Integer> kinds() {
        return new TreeMap<>(kinds);
    }

    /// An example of each fault, by operation and fault.
    public Map<String, String> faults() {
        return new TreeMap<>(faults);
    }
}
