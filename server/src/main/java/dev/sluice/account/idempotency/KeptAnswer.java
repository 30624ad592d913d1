package dev.sluice.account.idempotency;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// The stored reply to a request with an `Idempotency-Key`, or the placeholder that is stored until
/// there is a reply. Immutable.
///
/// @param requestHash the request's hash (see [KeyedRequest#hash])
/// @param status the reply's HTTP status; 0 for the placeholder
/// @param location the reply's `Location`, such as the path of the resource that the request
///   created; empty if there is none or it is not known
/// @param etag the reply's `ETag`; empty if there is none or it was not kept
/// @param body the reply's body; empty for the placeholder, if the body contained a secret and was
///   not kept, or if it cannot be decrypted
record KeptAnswer(String requestHash, int status, String location, String etag, String body) {

    /// A request with an `Idempotency-Key`.
    ///
    /// @param owner the workspace or the account that the key belongs to
    /// @param hash a hash of the method, the path and the body
    record KeyedRequest(UUID owner, String key, String hash) {

        String sealingContext() {
            return "idempotency_key:answer:" + owner + ":" + key;
        }
    }

    private static final int UNANSWERED = 0;
    private static final int LINES = 5;

    static KeptAnswer of(KeyedRequest request, Reply reply) {
        return new KeptAnswer(
                request.hash(),
                reply.status(),
                reply.header("Location").orElse(""),
                reply.header("ETag").orElse(""),
                reply.text());
    }

    static KeptAnswer withoutBody(KeyedRequest request, String location) {
        return new KeptAnswer(request.hash(), 201, location, "", "");
    }

    /// Returns the placeholder that is stored while the request is carried out.
    static KeptAnswer begun(KeyedRequest request) {
        return new KeptAnswer(request.hash(), UNANSWERED, "", "", "");
    }

    boolean isUnanswered() {
        return status == UNANSWERED;
    }

    /// Returns a response without a body or location, in place of a stored response that cannot be
    /// decrypted. It has the hash of `request`, because the stored hash cannot be decrypted either.
    static KeptAnswer unreadable(KeyedRequest request) {
        return withoutBody(request, "");
    }

    List<Header> headers() {
        return Stream.of(new Header("Location", location), new Header("ETag", etag))
                .filter(header -> !header.value().isEmpty())
                .toList();
    }

    /// Returns the response as text, which the caller encrypts and stores. Line breaks separate the
    /// five parts. Only the last part, the body, can itself contain line breaks.
    String text() {
        return String.join("\n", requestHash, Integer.toString(status), location, etag, body);
    }

    static KeptAnswer parse(String text) {
        var lines = text.split("\n", LINES);
        return new KeptAnswer(lines[0], Integer.parseInt(lines[1]), lines[2], lines[3], lines[4]);
    }
}
