package dev.sluice.bench.scenario;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.measure.LatencySummary;
import dev.sluice.bench.platform.BenchJson;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// Clients that guess an account's password, each guess from an address of its own, and the owner,
/// who signs in from one address until the last guess is answered. Addresses stand in
/// `X-Forwarded-For`.
final class PasswordGuessers implements AutoCloseable {

    private static final String OWNER_ADDRESS = "203.0.113.7";
    private static final Duration OWNER_PAUSE = Duration.ofMillis(250);

    private final URI login;
    private final String email;
    private final String password;
    private final int guesses;
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch unanswered;
    private final Map<Integer, Integer> answers = new ConcurrentSkipListMap<>();
    private final AtomicInteger ownerRefused = new AtomicInteger();

    /// Written by the owner's thread, and read after it has ended.
    private final Histogram owner = new Histogram();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    PasswordGuessers(URI login, String email, String password, int guesses) {
        this.login = login;
        this.email = email;
        this.password = password;
        this.guesses = guesses;
        this.unanswered = new CountDownLatch(guesses);
    }

    /// The owner's sign-in, once. Returns the status of the answer.
    int signInAsOwner() {
        return signIn(OWNER_ADDRESS, password);
    }

    void start(int atATime) {
        for (int i = 0; i < atATime; i++) {
            var _ = threads.submit(() -> guessUntil(() -> begun.get() >= guesses));
        }
        var _ = threads.submit(this::signInUntilAnswered);
    }

    boolean isHalfDone() {
        return unanswered.getCount() <= guesses / 2;
    }

    /// Waits until all are answered.
    @Override
    public void close() {
        threads.close();
        client.close();
    }

    /// How many guesses were answered with each status. To be asked after [#close()].
    Map<Integer, Integer> answers() {
        return answers;
    }

    LatencySummary ownerLatency() {
        return owner.summary();
    }

    int ownerRefused() {
        return ownerRefused.get();
    }

    private void guessUntil(BooleanSupplier isOver) {
        while (!isOver.getAsBoolean()) {
            int number = begun.getAndIncrement();
            if (number < guesses) {
                String address = "10.%d.%d.1".formatted(number / 256, number % 256);
                answers.merge(signIn(address, "guess " + number), 1, Integer::sum);
                unanswered.countDown();
            }
        }
    }

    private boolean signInUntilAnswered() throws InterruptedException {
        do {
            long from = System.nanoTime();
            if (signInAsOwner() != 200) {
                ownerRefused.incrementAndGet();
            }
            owner.record(System.nanoTime() - from);
        } while (!unanswered.await(OWNER_PAUSE.toMillis(), TimeUnit.MILLISECONDS));
        return true;
    }

    private int signIn(String address, String withPassword) {
        String json = BenchJson.compact(Map.of("email", email, "password", withPassword));
        var request =
                HttpRequest.newBuilder(login)
                        .header("Content-Type", "application/json")
                        .header("X-Forwarded-For", address)
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build();
        return unchecked(() -> client.send(request, BodyHandlers.discarding())).statusCode();
    }
}
