package dev.sluice.account.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.idempotency.KeptAnswer.KeyedRequest;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Sha256;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Gives a repeated request with an `Idempotency-Key` the same response as the original request.
///
/// A route passes its work to `answer`. The work stores its response in the transaction that
/// carries out the request. If that is not possible, the work stores the key first and the response
/// afterwards. The database stores a key only once for each owner, so if two requests use the same
/// key at the same time, even on different nodes, only one of them commits. Thread-safe.
public final class IdempotencyKeys {

    static final Duration RETENTION = Duration.ofHours(24);

    /// The maximum number of keys of an owner, and of the bytes of their sealed answers.
    static final int MAX_KEYS = 10_000;

    static final long MAX_BYTES = 32L * 1024 * 1024;

    private static final Duration FULL_RETRY = Duration.ofMinutes(10);

    private static final int MAX_KEY_LENGTH = 255;
    private static final String HEADER = "Idempotency-Key";
    private static final Header REPLAYED = new Header("Idempotent-Replayed", "true");

    /// Carries out a request and returns the reply. Also stores the reply with `keeper`.
    @FunctionalInterface
    public interface KeyedWork {
        Reply answer(AnswerKeeper keeper);
    }

    private final Db db;
    private final Sealer sealer;
    private final InstantSource clock;

    public IdempotencyKeys(Db db, Sealer sealer, InstantSource clock) {
        this.db = db;
        this.sealer = sealer;
        this.clock = clock;
    }

    /// Carries out a request if it has no `Idempotency-Key`, or one that the owner has not used in
    /// the last 24 hours. Otherwise returns the response that was stored under the key.
    ///
    /// @param request the request; its body must already have been read and its sender
    ///   authenticated
    /// @param owner the workspace or account that the key belongs to; other owners may use the same
    ///   key
    /// @throws ApiException 400 if the key is malformed
    /// @throws ApiException 409 if another request with the key is in progress, or if the response
    ///   stored under the key has no body
    /// @throws ApiException 422 if the key was used for a different request
    public Reply answer(Request request, UUID owner, KeyedWork work) {
        var key = request.header(HEADER);
        if (key.isEmpty()) {
            return work.answer(AnswerKeeper.withoutKey());
        }
        var keyed = new KeyedRequest(owner, checked(key.get()), hash(request));
        var earlier = db.call(tx -> find(tx, keyed));
        if (earlier.isPresent()) {
            return repeat(earlier.get(), keyed);
        }
        var keeper = new AnswerKeeper(Optional.of(keyed), this::keep);
        try {
            return work.answer(keeper);
        } catch (RuntimeException e) {
            if (keeper.placeholder().isPresent()) {
                if (!keeper.isWorkDone()) {
                    forget(keyed, keeper.placeholder().get(), e);
                }
                throw e;
            }
            // Another request with the key may have caused the failure, for example by reaching one
            // of the plan's limits.
            var twin = db.call(tx -> find(tx, keyed));
            if (twin.isEmpty()) {
                throw e;
            }
            requireSameRequest(twin.get(), keyed);
            throw inProgress();
        }
    }

    /// Deletes the key of a request that failed, so that a repeated request is carried out. If the
    /// deletion fails, adds that failure to `reason`.
    private void forget(KeyedRequest keyed, byte[] placeholder, RuntimeException reason) {
        try {
            db.run(tx -> IdempotencyStore.delete(tx, keyed.owner(), keyed.key(), placeholder));
        } catch (DbException e) {
            reason.addSuppressed(e);
        }
    }

    private static String checked(String key) {
        boolean isVisible = key.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (key.isEmpty() || key.length() > MAX_KEY_LENGTH || !isVisible) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    HEADER + " must have 1 to " + MAX_KEY_LENGTH + " visible ASCII characters.");
        }
        return key;
    }

    /// Returns a hash of the method, the path and the body. A slash at the end of the path is
    /// ignored.
    private static String hash(Request request) {
        String path = request.path().replaceFirst("/$", "");
        byte[] head = (request.method() + " " + path + "\n").getBytes(UTF_8);
        byte[] body = request.readBody();
        byte[] whole = ByteBuffer.allocate(head.length + body.length).put(head).put(body).array();
        return HexFormat.of().formatHex(Sha256.hash(whole));
    }

    private Optional<KeptAnswer> find(Tx tx, KeyedRequest keyed) {
        var since = clock.instant().minus(RETENTION);
        return IdempotencyStore.find(tx, keyed.owner(), keyed.key(), since)
                .map(sealed -> open(sealed, keyed));
    }

    /// Decrypts a stored response. If it was encrypted with another master key, returns a response
    /// without a body.
    private KeptAnswer open(byte[] sealed, KeyedRequest keyed) {
        try {
            return KeptAnswer.parse(sealer.open(sealed, keyed.sealingContext()));
        } catch (Sealer.WrongKeyException e) {
            return KeptAnswer.unreadable(keyed);
        }
    }

    private static Reply repeat(KeptAnswer earlier, KeyedRequest keyed) {
        requireSameRequest(earlier, keyed);
        if (earlier.isUnanswered()) {
            throw inProgress();
        }
        if (earlier.body().isEmpty()) {
            throw madeBefore(earlier);
        }
        return Reply.json(earlier.status(), earlier.body())
                .with(earlier.headers())
                .with(List.of(REPLAYED));
    }

    private static void requireSameRequest(KeptAnswer earlier, KeyedRequest keyed) {
        if (!earlier.requestHash().equals(keyed.hash())) {
            throw new ApiException(
                    ApiErrorCode.IDEMPOTENCY_KEY_REUSED,
                    "This "
                            + HEADER
                            + " was used for another path or body. Use a new key for each request,"
                            + " and the same one only to repeat it unchanged.");
        }
    }

    private static ApiException madeBefore(KeptAnswer earlier) {
        var refusal =
                new ApiException(
                        ApiErrorCode.CONFLICT,
                        "This request was carried out before, and its answer cannot be shown again"
                                + (earlier.location().isEmpty()
                                        ? "."
                                        : ". It made "
                                                + earlier.location()
                                                + "; if you lost its secret, delete it and create"
                                                + " another one with a new "
                                                + HEADER
                                                + "."));
        return earlier.headers().stream()
                .reduce(refusal, ApiException::withHeader, (one, _) -> one)
                .withHeader(REPLAYED);
    }

    private static ApiException inProgress() {
        return new ApiException(
                ApiErrorCode.REQUEST_IN_PROGRESS,
                "Another request with this "
                        + HEADER
                        + " was under way. Send it again to get the answer.");
    }

    private static void requireRoom(IdempotencyStore.KeyUse use) {
        if (use.keys() > MAX_KEYS || use.bytes() > MAX_BYTES) {
            throw ApiException.tooMany(
                    "At most "
                            + MAX_KEYS
                            + " answers of at most "
                            + MAX_BYTES
                            + " bytes in all are kept for requests with an "
                            + HEADER
                            + ", each for 24 hours. Send fewer requests with one.",
                    FULL_RETRY);
        }
    }

    private byte[] keep(
            Tx tx, KeyedRequest keyed, KeptAnswer answer, Optional<byte[]> placeholder) {
        byte[] sealed = sealer.seal(answer.text(), keyed.sealingContext());
        if (placeholder.isPresent()) {
            IdempotencyStore.replace(tx, keyed.owner(), keyed.key(), placeholder.get(), sealed);
            return sealed;
        }
        var now = clock.instant();
        var since = now.minus(RETENTION);
        if (!IdempotencyStore.insert(tx, keyed.owner(), keyed.key(), sealed, now, since)) {
            throw inProgress();
        }
        requireRoom(IdempotencyStore.use(tx, keyed.owner()));
        return sealed;
    }
}
