package dev.sluice.relay.send;

import dev.sluice.gateway.destination.Auth;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Makes a parcel ready exactly as an attempt does, and sends nothing.
public final class Rehearsal {

    /// What a rehearsed attempt would come to.
    public sealed interface Rehearsed {}

    /// The request, what its authentication adds masked.
    ///
    /// @param headers all of them, in order
    public record Request(List<Header> headers, Body body) implements Rehearsed {}

    /// The attempt would fail before anything is sent, as `transformation_failed`.
    public record Impossible(String why) implements Rehearsed {}

    private final OutgoingHeaders outgoing;
    private final InstantSource clock;

    /// @param headerPrefix what our own headers begin with, such as `X-Service`
    public Rehearsal(String headerPrefix, InstantSource clock) {
        this.outgoing = new OutgoingHeaders(headerPrefix);
        this.clock = clock;
    }

    public Rehearsed of(Parcel parcel) {
        try {
            var letter = Letter.of(parcel, outgoing, clock.instant());
            var headers = new ArrayList<>(Post.framing(parcel.url(), letter.body()));
            var secret = secret(parcel.auth());
            for (var header : letter.headers()) {
                headers.add(
                        secret.contains(header.name())
                                ? new Header(header.name(), Secret.MASK)
                                : header);
            }
            return new Request(headers, letter.body());
        } catch (Failure e) {
            return new Impossible(e.detail());
        }
    }

    /// Names of headers whose values could be used by whoever reads them.
    private Set<String> secret(Auth auth) {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        switch (auth) {
            case Auth.None() -> {}
            case Auth.Hmac _ -> names.add(outgoing.signature());
            case Auth.StandardWebhooks _ -> names.add(OutgoingHeaders.STANDARD_SIGNATURE);
            case Auth.ApiKey(String header, _) -> names.add(header);
            case Auth.BasicAuth _ -> names.add(OutgoingHeaders.AUTHORIZATION);
        }
        return names;
    }
}
