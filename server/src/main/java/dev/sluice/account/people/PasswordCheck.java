package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.KnownNetworkStore;
import dev.sluice.account.access.NetworkCounter;
import dev.sluice.account.access.PasswordHasher;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/// Checks people's passwords, and hashes new ones. An unknown account gives the same result as a
/// wrong password, and the check takes just as long.
///
/// [SignInThrottle] slows down a client that keeps failing. [PasswordLine] limits the cost that all
/// clients together can cause. Thread-safe.
public final class PasswordCheck {

    private static final Duration LINE_TIMEOUT = Duration.ofSeconds(10);

    /// How many times a minute clients from one known network take precedence over others.
    private static final int MAX_FIRST_VISITS = 5;

    private static final int SALT_BYTES = 16;
    private static final UUID NO_ACCOUNT = new UUID(0, 0);

    private final Db db;
    private final SecretGenerator random;
    private final InstantSource clock;
    private final SignInThrottle throttle = new SignInThrottle();

    /// Counts how often clients from each network ask for a hash.
    private final NetworkCounter visits = new NetworkCounter();

    private final PasswordLine line;
    private final Duration lineTimeout;
    private final BiPredicate<Secret, String> matcher;
    private final Executor hashThreads = newHashThreads();

    /// The hash of a password that nobody knows. If an account does not exist, the given password
    /// is compared with this hash.
    private final String unknownAccountHash;

    public PasswordCheck(Db db, SecretGenerator random, InstantSource clock) {
        this(db, random, clock, new PasswordLine(), LINE_TIMEOUT, PasswordHasher::matches);
    }

    /// @param lineTimeout the longest time that a client waits in the [PasswordLine]
    /// @param matcher decides whether a password matches a stored hash
    PasswordCheck(
            Db db,
            SecretGenerator random,
            InstantSource clock,
            PasswordLine line,
            Duration lineTimeout,
            BiPredicate<Secret, String> matcher) {
        this.line = line;
        this.lineTimeout = lineTimeout;
        this.matcher = matcher;
        this.db = db;
        this.random = random;
        this.clock = clock;
        this.unknownAccountHash =
                PasswordHasher.hash(new Secret(random.base62(32)), random.bytes(SALT_BYTES));
    }

    /// Returns the account with this e-mail address and password, or empty if there is none.
    ///
    /// @param email in the form that [Account#normalizedEmail] returns
    /// @throws ApiException 429 if the client must wait and try again later
    public Optional<Account> find(String email, Secret password, InetAddress client) {
        String network = ClientAddress.network(client);
        var delay = throttle.delay(email, network, clock.instant());
        if (!delay.isZero()) {
            throw ApiException.tooMany("Too many failed sign-ins.", delay);
        }
        var account = db.call(tx -> AccountStore.find(tx, email));
        // This query also runs for an unknown account, so that the response takes as long as for a
        // known one.
        var id = account.map(Account::id).orElse(NO_ACCOUNT);
        boolean isKnown = db.call(tx -> KnownNetworkStore.isKnown(tx, id, network));
        var place = place(network, isKnown);
        String stored = account.map(Account::passwordHash).orElse(unknownAccountHash);
        boolean matches = inLine(place, () -> matcher.test(password, stored));
        if (!matches || account.isEmpty()) {
            throttle.failed(email, network, clock.instant());
            return Optional.empty();
        }
        throttle.succeeded(email, network);
        return account;
    }

    /// Returns the hash of a new password.
    ///
    /// @throws ApiException 429 if too many clients are waiting
    public String hash(Secret password, InetAddress client) {
        return hash(password, place(ClientAddress.network(client), false));
    }

    /// Returns the hash of a new password for a client that has proved that it belongs to the
    /// account's owner. The client takes precedence over others, like a client from a known
    /// network.
    ///
    /// @throws ApiException 429 if too many clients are waiting
    String hashForOwner(Secret password, InetAddress client) {
        return hash(password, place(ClientAddress.network(client), true));
    }

    private String hash(Secret password, PasswordLine.Place place) {
        return inLine(place, () -> PasswordHasher.hash(password, random.bytes(SALT_BYTES)));
    }

    /// Returns a new hash of a password that was just found to be correct, if the stored hash was
    /// made with older parameters. Returns empty if the stored hash is current.
    ///
    /// @param account the result of [#find]
    /// @throws ApiException 429 if too many clients are waiting
    public Optional<String> rehash(Account account, Secret password, InetAddress client) {
        return PasswordHasher.isCurrent(account.passwordHash())
                ? Optional.empty()
                : Optional.of(hashForOwner(password, client));
    }

    /// Returns the client's place in the queue. A known network takes precedence only a few times a
    /// minute, because otherwise a person who signs in to their own account again and again would
    /// keep everyone else waiting.
    private PasswordLine.Place place(String network, boolean isKnown) {
        int count = visits.add(network, clock.instant());
        return new PasswordLine.Place(network, isKnown && count < MAX_FIRST_VISITS, count);
    }

    /// Forgets the client's failed sign-ins for this account. Call this when the client has proved
    /// in another way that it belongs to the account's owner.
    ///
    /// @param email in the form that [Account#normalizedEmail] returns
    void forgetFailures(String email, InetAddress client) {
        throttle.succeeded(email, ClientAddress.network(client));
    }

    private <T> T inLine(PasswordLine.Place place, Supplier<T> work) {
        enterLine(place);
        try {
            return CompletableFuture.supplyAsync(work, hashThreads).join();
        } finally {
            line.leave();
        }
    }

    /// Creates the platform threads that compute hashes. A hash keeps a core busy for a tenth of a
    /// second. On virtual threads, two hashes would block both cores of a small machine for all
    /// other virtual threads, including those that handle ingest.
    private static Executor newHashThreads() {
        var threads =
                new ThreadPoolExecutor(
                        PasswordLine.MAX_CONCURRENT,
                        PasswordLine.MAX_CONCURRENT,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("password hash ", 1).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private void enterLine(PasswordLine.Place place) {
        try {
            if (!line.enter(place, lineTimeout)) {
                throw ApiException.tooMany(
                        "Too many people sign in at the moment.", Duration.ofSeconds(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ApiErrorCode.UNAVAILABLE, "The server is stopping.");
        }
    }
}
