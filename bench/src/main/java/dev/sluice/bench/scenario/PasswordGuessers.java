package dev.sluice.bench.scenario;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.measure.LatencySummary;
import dev.sluice.bench.platform.BenchJson;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// Simulates clients that guess an account's password while the account's owner signs in. Each
/// guess comes from a different address. Until the last guess is answered, the owner repeatedly
/// signs in and out, alternating between five known addresses and addresses that are always new.
/// The clients send their addresses in `X-Forwarded-For`.
final class PasswordGuessers implements AutoCloseable {

    /// The owner's known addresses. The relay remembers only the last 16 addresses of an account.
    /// With just five known addresses, each is used again before sign-ins from new addresses can
    /// push it out.
    private static final List<String> OWNER_ADDRESSES =
            List.of("203.0.113.7", "203.0.113.8", "203.0.113.9", "203.0.113.10", "203.0.113.11");

    /// The owner's pause between sign-ins. The relay gives precedence to at most five sign-ins per
    /// minute from one known address. With this pause, each known address is used four times a
    /// minute, and once more before the attack.
    private static final Duration OWNER_PAUSE = Duration.ofSeconds(3);

    private final URI login;
    private final String email;
    private final String password;
    private final int guesses;
    private final AtomicInteger begun = new AtomicInteger();
    private final CountDownLatch unanswered;
    private final Map<Integer, Integer> answers = new ConcurrentSkipListMap<>();
    private final OwnerSignIns atKnownAddress = new OwnerSignIns();
    private final OwnerSignIns atNewAddresses = new OwnerSignIns();

    /// The results of the owner's sign-ins, either from known addresses or from new ones. Written
    /// by the owner's thread, and read by other threads after that thread has ended.
    private static final class OwnerSignIns {
        private final Histogram latency = new Histogram();
        private int refused;
    }

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

    /// Signs in as the owner and out again, once from each known address. Returns whether every
    /// sign-in succeeded.
    boolean signInAtKnownAddresses() {
        return OWNER_ADDRESSES.stream().allMatch(address -> signInAsOwner(address) == 200);
    }

    private int signInAsOwner(String address) {
        var answer = signIn(address, password);
        answer.headers().firstValue("Set-Cookie").ifPresent(this::logOut);
        return answer.statusCode();
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

    /// Waits until all guesses are answered.
    @Override
    public void close() {
        threads.close();
        client.close();
    }

    /// Returns the number of guesses for each response status. Call this after [#close()].
    Map<Integer, Integer> answers() {
        return answers;
    }

    LatencySummary latencyAtKnownAddress() {
        return atKnownAddress.latency.summary();
    }

    int refusedAtKnownAddress() {
        return atKnownAddress.refused;
    }

    LatencySummary latencyAtNewAddresses() {
        return atNewAddresses.latency.summary();
    }

    int refusedAtNewAddresses() {
        return atNewAddresses.refused;
    }

    private void guessUntil(BooleanSupplier isOver) {
        while (!isOver.getAsBoolean()) {
            int number = begun.getAndIncrement();
            if (number < guesses) {
                String address = "10.%d.%d.1".formatted(number / 256, number % 256);
                answers.merge(signIn(address, "guess " + number).statusCode(), 1, Integer::sum);
                unanswered.countDown();
            }
        }
    }

    private boolean signInUntilAnswered() throws InterruptedException {
        int number = 0;
        do {
            signInAsOwner(OWNER_ADDRESSES.get(number % OWNER_ADDRESSES.size()), atKnownAddress);
            signInAsOwner(
                    "172.16.%d.%d".formatted(number / 256 % 256, number % 256), atNewAddresses);
            number++;
        } while (!unanswered.await(OWNER_PAUSE.toMillis(), TimeUnit.MILLISECONDS));
        return true;
    }

    private void signInAsOwner(String address, OwnerSignIns signIns) {
        long from = System.nanoTime();
        if (signInAsOwner(address) != 200) {
            signIns.refused++;
        }
        signIns.latency.record(System.nanoTime() - from);
    }

    private void logOut(String setCookie) {
        var request =
                HttpRequest.newBuilder(login.resolve("logout"))
                        .header("Cookie", setCookie.split(";", 2)[0])
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
        var _ = unchecked(() -> client.send(request, BodyHandlers.discarding()));
    }

    private HttpResponse<Void> signIn(String address, String withPassword) {
        String json = BenchJson.compact(Map.of("email", email, "password", withPassword));
        var request =
                HttpRequest.newBuilder(login)
                        .header("Content-Type", "application/json")
                        .header("X-Forwarded-For", address)
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build();
        return unchecked(() -> client.send(request, BodyHandlers.discarding()));
    }
}
