package dev.sluice.relay.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.destination.Auth;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.Hops;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Which headers a delivery carries, `Host` and `Content-Length` aside, which belong to the
/// request.
///
/// What came in is forwarded but for what was meant for us or for the connection; then come the
/// destination's own headers, the connection's transformation of both, ours, and authentication. A
/// later step replaces an earlier header of the same name, whatever its case, so that
/// authentication stands there exactly once.
final class OutgoingHeaders {

    /// About the connection they came on, or about the framing of the message. Nobody may set them.
    private static final Set<String> OF_THE_CONNECTION =
            names(
                    "Connection",
                    "Keep-Alive",
                    "Proxy-Connection",
                    "Proxy-Authenticate",
                    "Proxy-Authorization",
                    "TE",
                    "Trailer",
                    "Transfer-Encoding",
                    "Upgrade",
                    "HTTP2-Settings",
                    "Host",
                    "Content-Length",
                    "Expect");

    /// Meant for us, or claims about the way here that the destination could not check.
    private static final Set<String> NOT_FORWARDED =
            names("Accept-Encoding", "Cookie", "Cookie2", "Forwarded", "X-Real-IP", "Via");

    static final String STANDARD_SIGNATURE = "webhook-signature";
    static final String AUTHORIZATION = "Authorization";

    private static final String FORWARDED_PREFIX = "X-Forwarded-";

    private final String signature;
    private final String timestamp;
    private final String eventId;
    private final String deliveryId;
    private final String attempt;
    private final String hop;
    private final Set<String> ours;

    /// @param prefix what our own headers begin with, such as `X-Service`
    OutgoingHeaders(String prefix) {
        signature = prefix + "-Signature";
        timestamp = prefix + "-Timestamp";
        eventId = prefix + "-Event-Id";
        deliveryId = prefix + "-Delivery-Id";
        attempt = prefix + "-Attempt";
        hop = prefix + "-Hop";
        ours = names(signature, timestamp, eventId, deliveryId, attempt, hop);
    }

    /// @param body as it is sent, which is what signatures are over
    /// @throws Failure when the transformation makes something that cannot be sent
    List<Header> of(Parcel parcel, Body body, Instant now) throws Failure {
        var headers = forwarded(parcel);
        for (var header : parcel.custom()) {
            if (!OF_THE_CONNECTION.contains(header.name())) {
                set(headers, header.name(), header.value());
            }
        }
        if (parcel.transformation().isPresent()) {
            HeaderChanges.apply(parcel.transformation().get(), headers, parcel, now);
        }
        identify(headers, parcel);
        authenticate(headers, parcel, body, Long.toString(now.getEpochSecond()));
        return headers;
    }

    /// The name of the header that a signature of the house stands in.
    String signature() {
        return signature;
    }

    private List<Header> forwarded(Parcel parcel) {
        var listed = listedInConnection(parcel.inbound());
        var headers = new ArrayList<Header>(parcel.inbound().size() + 16);
        for (var header : parcel.inbound()) {
            String name = header.name();
            if (isForwarded(name) && !listed.contains(name) && !isWithheld(parcel, header)) {
                headers.add(header);
            }
        }
        return headers;
    }

    private boolean isForwarded(String name) {
        return !OF_THE_CONNECTION.contains(name)
                && !NOT_FORWARDED.contains(name)
                && !ours.contains(name)
                && !name.regionMatches(true, 0, FORWARDED_PREFIX, 0, FORWARDED_PREFIX.length());
    }

    /// A value that is the mask was a credential under the configuration of that time.
    private static boolean isWithheld(Parcel parcel, Header header) {
        for (String withheld : parcel.withheld()) {
            if (header.isNamed(withheld)) {
                return true;
            }
        }
        return header.value().equals(Secret.MASK);
    }

    /// `Connection` names further headers that end with it (RFC 9110, 7.6.1).
    private static Set<String> listedInConnection(List<Header> inbound) {
        Set<String> listed = Set.of();
        for (var header : inbound) {
            if (header.isNamed("Connection")) {
                listed = listed.isEmpty() ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : listed;
                for (String name : header.value().split(",", -1)) {
                    listed.add(name.strip());
                }
            }
        }
        return listed;
    }

    private void identify(List<Header> headers, Parcel parcel) {
        set(headers, eventId, parcel.event().toString());
        set(headers, deliveryId, parcel.delivery().toString());
        set(headers, attempt, Integer.toString(parcel.attempt()));
        set(headers, hop, Integer.toString(Hops.in(parcel.inbound(), hop) + 1));
    }

    private void authenticate(List<Header> headers, Parcel parcel, Body body, String seconds) {
        switch (parcel.auth()) {
            case Auth.None() -> {}
            case Auth.Hmac(var secret, var previous) -> {
                String signed =
                        both(secret, previous, ",", key -> Signature.hex(key, seconds, body));
                set(headers, signature, signed);
                set(headers, timestamp, seconds);
            }
            case Auth.StandardWebhooks(var secret, var previous) -> {
                String id = parcel.event().toString();
                String signed =
                        both(
                                secret,
                                previous,
                                " ",
                                key -> Signature.standard(key, id, seconds, body));
                set(headers, "webhook-id", id);
                set(headers, "webhook-timestamp", seconds);
                set(headers, STANDARD_SIGNATURE, signed);
            }
            case Auth.ApiKey(var header, var key) -> set(headers, header, latin1(key.reveal()));
            case Auth.BasicAuth(var username, var password) ->
                    set(headers, AUTHORIZATION, basic(username, password));
        }
    }

    /// Two signatures while a secret is being replaced, the newer one first.
    private static String both(
            Secret secret, Optional<Secret> previous, String separator, Signing signing) {
        String signed = signing.with(secret);
        return previous.map(older -> signed + separator + signing.with(older)).orElse(signed);
    }

    private static String basic(String username, Secret password) {
        byte[] pair = (username + ":" + password.reveal()).getBytes(UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    /// The text's UTF-8 bytes, as [Header] has them: a character each.
    private static String latin1(String text) {
        return new String(text.getBytes(UTF_8), ISO_8859_1);
    }

    private static void set(List<Header> headers, String name, String value) {
        headers.removeIf(header -> header.isNamed(name));
        headers.add(new Header(name, value));
    }

    private static Set<String> names(String... names) {
        var set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        Collections.addAll(set, names);
        return Collections.unmodifiableSet(set);
    }

    private interface Signing {

        String with(Secret secret);
    }
}
