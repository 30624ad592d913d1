package dev.sluice.account.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.KnownNetworkStore;
import dev.sluice.account.access.PasswordHasher;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/// Tests sign-in while many networks guess passwords of the same account.
class SignInUnderAttackTest {

    private static final String EMAIL = "owner@example.com";
    private static final Secret PASSWORD = new Secret("correct horse battery");
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int ATTACKERS = 40;

    /// More than the line has places.
    private static final int MANY_ATTACKERS = 300;

    @AutoClose private static final Db db = TestPostgres.open(TestPostgres.newDatabase());

    /// Each hash waits for a permit, so that the test decides when one ends.
    private final Semaphore mayEnd = new Semaphore(0, true);

    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger maxRunning = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicInteger onVirtualThreads = new AtomicInteger();
    private final PasswordLine line = new PasswordLine();
    private final PasswordCheck passwords =
            new PasswordCheck(
                    db,
                    new SecretGenerator(),
                    InstantSource.fixed(Some.NOON),
                    line,
                    Duration.ofMinutes(10), // longer than any machine takes for a test
                    this::matches);

    /// The owner signed in from the address 192.0.2.1 before, and has no session now.
    @BeforeAll
    static void createOwner() {
        var id = UUID.randomUUID();
        db.run(tx -> {
            var hash = PasswordHasher.hash(PASSWORD, new byte[16]);
            AccountStore.insert(tx, new Account(id, EMAIL, "Owner", hash), Some.NOON);
            KnownNetworkStore.remember(tx, id, "192.0.2.1", Some.NOON);
        });
    }

    private boolean matches(Secret password, String stored) {
        if (Thread.currentThread().isVirtual()) {
            onVirtualThreads.incrementAndGet();
        }
        maxRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            mayEnd.acquireUninterruptibly();
            return PasswordHasher.matches(password, stored);
        } finally {
            running.decrementAndGet();
            finished.incrementAndGet();
        }
    }

    private Optional<Account> signIn(Secret password, String address) {
        return passwords.find(EMAIL, password, InetAddress.ofLiteral(address));
    }

    @Test
    void two_passwords_are_hashed_at_a_time_and_the_owner_is_served_next() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var attacks = attack(threads, ATTACKERS);
            awaitLine(ATTACKERS - 2);

            var owner = threads.submit(() -> signIn(PASSWORD, "192.0.2.1"));
            awaitLine(ATTACKERS - 1);
            mayEnd.release(); // one guess ends, and the owner's turn comes
            awaitLine(ATTACKERS - 2);
            mayEnd.release(2); // the other guess and the owner's hash end
            await().atMost(TIMEOUT).until(owner::isDone);
            int hashesUntilThen = finished.get();
            mayEnd.release(ATTACKERS);

            assertThat(owner.get()).isPresent();
            assertThat(hashesUntilThen).isLessThanOrEqualTo(3);
            for (var attack : attacks) {
                assertThat(attack.get()).isEqualTo("refused");
            }
            assertThat(maxRunning).hasValue(2);
            assertThat(onVirtualThreads)
                    .as("a hash on a virtual thread keeps the others from its core")
                    .hasValue(0);
        }
    }

    @Test
    void who_signs_in_again_and_again_keeps_a_newcomer_waiting_for_a_few_turns_at_most()
            throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            mayEnd.release(6);
            for (int i = 0; i < 6; i++) {
                assertThat(signIn(PASSWORD, "192.0.2.1")).isPresent();
            }
            var busy = new ArrayList<Future<Optional<Account>>>();
            for (int i = 0; i < 6; i++) {
                busy.add(threads.submit(() -> signIn(PASSWORD, "192.0.2.1")));
            }
            awaitLine(4);
            int before = finished.get();

            var newcomer = threads.submit(() -> signIn(PASSWORD, "203.0.113.9"));
            awaitLine(5);
            mayEnd.release(); // the newcomer is served next
            awaitLine(4);
            mayEnd.release(2);
            await().atMost(TIMEOUT).until(newcomer::isDone);

            assertThat(finished.get() - before).isLessThanOrEqualTo(3);
            mayEnd.release(6);
            for (var one : busy) {
                assertThat(one.get()).isPresent();
            }
        }
    }

    @Nightly
    @Test
    void the_owner_at_an_address_never_seen_before_is_served_next_though_the_line_is_full()
            throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var attacks = attack(threads, MANY_ATTACKERS);
            awaitLine(PasswordLine.MAX_WAITING);
            await().atMost(TIMEOUT)
                    .until(() ->
                            attacks.stream().filter(Future::isDone).count()
                                    == MANY_ATTACKERS - PasswordLine.MAX_WAITING - 2);

            var owner = threads.submit(() -> signIn(PASSWORD, "203.0.113.9"));
            await().atMost(TIMEOUT)
                    .until(() ->
                            attacks.stream().filter(Future::isDone).count()
                                    == MANY_ATTACKERS - PasswordLine.MAX_WAITING - 1);
            mayEnd.release(); // one guess ends, and the owner's turn comes
            awaitLine(PasswordLine.MAX_WAITING - 1);
            mayEnd.release(2); // the other guess and the owner's hash end
            await().atMost(TIMEOUT).until(owner::isDone);
            int hashesUntilThen = finished.get();
            mayEnd.release(MANY_ATTACKERS);

            assertThat(owner.get()).isPresent();
            assertThat(hashesUntilThen).isLessThanOrEqualTo(3);
            for (var attack : attacks) {
                assertThat(attack.get()).isIn("refused", "told to wait");
            }
            assertThat(maxRunning).hasValue(2);
        }
    }

    @Test
    void an_address_that_guessed_before_waits_behind_one_that_did_not() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            mayEnd.release(ATTACKERS);
            for (var attack : attack(threads, ATTACKERS)) {
                attack.get();
            }
            var first = attack(threads, ATTACKERS);
            awaitLine(ATTACKERS - 2);
            var owner = threads.submit(() -> signIn(PASSWORD, "203.0.113.9"));
            awaitLine(ATTACKERS - 1);
            var second = attack(threads, ATTACKERS);
            awaitLine(2 * ATTACKERS - 1);

            mayEnd.release(3);
            await().atMost(TIMEOUT).until(owner::isDone);
            mayEnd.release(2 * ATTACKERS);

            assertThat(owner.get()).isPresent();
            for (var attack : first) {
                assertThat(attack.get()).isEqualTo("refused");
            }
            for (var attack : second) {
                assertThat(attack.get()).isEqualTo("refused");
            }
        }
    }

    @Test
    void an_unknown_account_costs_one_hash_as_a_wrong_password_does() {
        mayEnd.release(2);

        assertThat(signIn(new Secret("guess"), "203.0.113.20")).isEmpty();
        assertThat(finished).hasValue(1);
        assertThat(
                        passwords.find(
                                "nobody@example.com",
                                new Secret("guess"),
                                InetAddress.ofLiteral("203.0.113.21")))
                .isEmpty();
        assertThat(finished).hasValue(2);
    }

    /// Waits until two hashes run and so many clients are in the line.
    private void awaitLine(int waiting) {
        await().atMost(TIMEOUT)
                .until(() -> mayEnd.getQueueLength() == 2 && line.waiting() == waiting);
    }

    private List<Future<String>> attack(ExecutorService threads, int number) {
        var attacks = new ArrayList<Future<String>>();
        for (int i = 0; i < number; i++) {
            String address = "198.51." + i / 250 + "." + i % 250;
            attacks.add(threads.submit(() -> attempt(new Secret("guess"), address)));
        }
        return attacks;
    }

    private String attempt(Secret password, String address) {
        try {
            return signIn(password, address).isPresent() ? "signed in" : "refused";
        } catch (ApiException e) {
            return "told to wait";
        }
    }
}
