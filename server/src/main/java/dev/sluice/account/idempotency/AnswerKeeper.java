package dev.sluice.account.idempotency;

import dev.sluice.account.idempotency.KeptAnswer.KeyedRequest;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Reply;

import java.util.Optional;

/// Stores the response to one request, so that a repeated request is not carried out again. Does
/// nothing for a request without an `Idempotency-Key`. Not thread-safe.
///
/// Call `keep` or `keepWithoutSecret` as the last step of the transaction that carries out the
/// request. If another request has already stored the same key, either method throws a 409
/// [dev.sluice.platform.http.ApiException], which rolls the transaction back. If [#begin] is called
/// first, it throws that exception instead; then call `keep` or `keepWithoutSecret` in a later
/// transaction.
public final class AnswerKeeper {

    @FunctionalInterface
    interface AnswerSink {

        /// Encrypts and stores a response. Returns the encrypted bytes.
        ///
        /// @param placeholder the bytes that [#begin] stored for this request; empty if `begin` was
        ///   not called
        byte[] keep(Tx tx, KeyedRequest request, KeptAnswer answer, Optional<byte[]> placeholder);
    }

    private final Optional<KeyedRequest> keyed;
    private final AnswerSink sink;
    private Optional<byte[]> placeholder = Optional.empty();
    private boolean isWorkDone;

    AnswerKeeper(Optional<KeyedRequest> keyed, AnswerSink sink) {
        this.keyed = keyed;
        this.sink = sink;
    }

    /// Returns a keeper that does nothing, for a request without a key.
    static AnswerKeeper withoutKey() {
        return new AnswerKeeper(Optional.empty(), (_, _, _, _) -> new byte[0]);
    }

    /// Stores the idempotency key before the work starts. Use this when the work commits in a
    /// separate transaction. Until `keep` adds the response, a repeated request gets 409. If the
    /// work fails, [IdempotencyKeys#answer] deletes the key.
    public void begin(Tx tx) {
        keyed.ifPresent(request -> {
            var begun = KeptAnswer.begun(request);
            placeholder = Optional.of(sink.keep(tx, request, begun, Optional.empty()));
        });
    }

    /// Records that the work has been committed. If storing the response fails after this call, the
    /// key is kept, so that a repeated request does not do the work again.
    public void workDone() {
        isWorkDone = true;
    }

    boolean isWorkDone() {
        return isWorkDone;
    }

    /// Returns the bytes that [#begin] stored under the key, or empty if `begin` was not called.
    Optional<byte[]> placeholder() {
        return placeholder;
    }

    /// Stores the reply, including its body, for repeated requests. Returns the reply.
    public Reply keep(Tx tx, Reply reply) {
        keyed.ifPresent(
                request -> sink.keep(tx, request, KeptAnswer.of(request, reply), placeholder));
        return reply;
    }

    /// Stores a response without a body, for a reply with a secret that is shown only once. A
    /// repeated request gets 409 with the location.
    public void keepWithoutSecret(Tx tx, String location) {
        keyed.ifPresent(request ->
                sink.keep(tx, request, KeptAnswer.withoutBody(request, location), placeholder));
    }
}
