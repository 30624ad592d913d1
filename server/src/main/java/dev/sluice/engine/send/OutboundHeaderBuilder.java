package dev.sluice.engine.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.LoopDetector;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.SluiceHeaders;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.http.ServerVersion;
import dev.sluice.platform.secret.Secret;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// Builds a delivery's headers, except `Host` and `Content-Length`, which are written when the
/// request is sent.
///
/// The builder starts with the inbound headers. It drops the headers that apply only to a single
/// network connection, the header that carries the source's credential, headers that make claims
/// about the route, and headers that only Sluice may set. If the body was changed, it also drops
/// the headers with digests of the original body. If the sender sent no `User-Agent`, it adds
/// Sluice's own. It then adds the destination's custom headers, and applies the connection's
/// transformation to all of these headers. Finally, it adds Sluice's own headers and the
/// authentication.
///
/// When a step adds a header, it replaces all headers with the same name from earlier steps. A
/// sender therefore cannot place its own header next to the one that carries the secret the
/// destination expects. Names are compared without regard to case, and `_` counts as `-`, because
/// many receivers treat the two as equal. A header that Sluice itself adds therefore occurs exactly
/// once. Immutable.
public final class OutboundHeaderBuilder {

    /// Inbound headers that are not forwarded, because they are meant for Sluice or make claims
    /// about the route that a destination cannot check.
    static final Set<String> UNFORWARDED_HEADERS =
            HeaderSyntax.foldedSet(
                    List.of(
                            "Accept-Encoding",
                            "Cookie",
                            "Cookie2",
                            "Forwarded",
                            "X-Real-IP",
                            "Via"));

    static final String STANDARD_WEBHOOKS_SIGNATURE = "webhook-signature";
    static final String AUTHORIZATION = "Authorization";

    private static final String FORWARDED_PREFIX = "X-Forwarded-";
    private static final String USER_AGENT = "User-Agent";

    /// Inbound headers that contain a digest of the body. They are not forwarded if the body was
    /// changed.
    private static final Set<String> BODY_DIGEST_HEADERS =
            HeaderSyntax.foldedSet(List.of("Content-Digest", "Digest", "Content-MD5"));

    private final SluiceHeaders own;
    private final CustomHeaderRules rules;

    /// @param prefix the prefix of the headers that Sluice adds, such as `X-Service`
    public OutboundHeaderBuilder(String prefix) {
        own = SluiceHeaders.withPrefix(prefix);
        rules = CustomHeaderRules.withPrefix(prefix);
    }

    /// Returns the headers in the order in which they are sent.
    ///
    /// @param body the exact body to send; the signatures cover it
    /// @throws TransformationException if the transformation produces an invalid header, or if this
    ///   node cannot read the transformation or the authentication settings
    List<Header> build(OutboundRequest request, OutboundBody body, Instant now)
            throws TransformationException {
        requireReadable(request);
        var headers = forwarded(request);
        if (!Arrays.equals(body.bytes(), request.body().bytes())) {
            headers.removeIf(header -> BODY_DIGEST_HEADERS.contains(header.name()));
        }
        if (headers.stream().noneMatch(header -> header.isNamed(USER_AGENT))) {
            headers.add(new Header(USER_AGENT, ServerVersion.USER_AGENT));
        }
        addCustomHeaders(headers, request.destination().customHeaders().headers());
        if (request.transformation().isPresent()) {
            HeaderRewriter.apply(request.transformation().get(), headers, request, now);
        }
        if (isChangedByUser(request)) {
            // The list of reserved names grows over time, so an older setting may use a name that
            // is reserved now.
            headers.removeIf(header -> rules.isReserved(header.name()));
        }
        setIdentityHeaders(headers, request);
        setAuthHeaders(headers, request, body, Long.toString(now.getEpochSecond()));
        setHopHeader(headers, request);
        return headers;
    }

    /// Throws if this node cannot read the authentication settings or the transformation.
    /// Deliveries with unreadable settings are on hold, so only a request that is not a delivery,
    /// such as a dry run, can fail here.
    private static void requireReadable(OutboundRequest request) throws TransformationException {
        if (request.auth() instanceof AuthConfig.UnreadableAuth) {
            throw new TransformationException("The destination's auth_config cannot be read");
        }
        if (request.transformation().isPresent() && !request.transformation().get().isReadable()) {
            throw new TransformationException("The connection's transformation cannot be read");
        }
    }

    private static boolean isChangedByUser(OutboundRequest request) {
        return !request.destination().customHeaders().isEmpty()
                || request.transformation().isPresent();
    }

    /// Returns the name of the header that contains the signature in Sluice's own format.
    String signatureHeader() {
        return own.signature();
    }

    private List<Header> forwarded(OutboundRequest request) {
        var listed = listedInConnection(request.inboundHeaders());
        var headers = new ArrayList<Header>(request.inboundHeaders().size() + 16);
        for (var header : request.inboundHeaders()) {
            String name = header.name();
            if (isForwarded(name) && !listed.contains(name) && !isWithheld(request, header)) {
                headers.add(header);
            }
        }
        return headers;
    }

    private boolean isForwarded(String name) {
        return !rules.isReserved(name)
                && !UNFORWARDED_HEADERS.contains(name)
                && !HeaderSyntax.startsWithFolded(name, FORWARDED_PREFIX);
    }

    /// Whether an inbound header must not be forwarded because its value is a credential. A masked
    /// value counts as a credential, because it was one when the event was received.
    private static boolean isWithheld(OutboundRequest request, Header header) {
        for (String withheld : request.source().withheldHeaders()) {
            if (HeaderSyntax.isSameFolded(header.name(), withheld)) {
                return true;
            }
        }
        return header.value().equals(Secret.MASK);
    }

    /// Returns the header names listed in the `Connection` header. The listed headers apply only to
    /// a single network connection, like `Connection` itself (RFC 9110, 7.6.1).
    private static Set<String> listedInConnection(List<Header> inbound) {
        Set<String> listed = Set.of();
        for (var header : inbound) {
            if (header.isNamed("Connection")) {
                listed = listed.isEmpty() ? new TreeSet<>(HeaderSyntax.FOLDED_ORDER) : listed;
                for (String name : header.value().split(",", -1)) {
                    listed.add(name.strip());
                }
            }
        }
        return listed;
    }

    /// Adds the custom headers as they are. If two custom headers have names that differ only in
    /// their use of `_` and `-`, both are added.
    private static void addCustomHeaders(List<Header> headers, List<Header> custom) {
        for (var header : custom) {
            headers.removeIf(earlier -> HeaderSyntax.isSameFolded(earlier.name(), header.name()));
        }
        for (var header : custom) {
            headers.removeIf(earlier -> earlier.isNamed(header.name()));
            headers.add(header);
        }
    }

    private void setIdentityHeaders(List<Header> headers, OutboundRequest request) {
        set(headers, own.eventId(), request.event().toString());
        set(headers, own.deliveryId(), request.delivery().toString());
        set(headers, own.attempt(), Integer.toString(request.attempt()));
        set(headers, own.method(), request.method());
    }

    /// Sets the hop count. This step comes last, so that no user setting can replace the hop count.
    private void setHopHeader(List<Header> headers, OutboundRequest request) {
        int hops = LoopDetector.countHops(request.inboundHeaders(), own.hop()) + 1;
        set(headers, own.hop(), Integer.toString(hops));
    }

    private void setAuthHeaders(
            List<Header> headers, OutboundRequest request, OutboundBody body, String seconds) {
        switch (request.auth()) {
            case AuthConfig.NoAuth(), AuthConfig.UnreadableAuth() -> {}
            case AuthConfig.HmacAuth(var secret, var previous) -> {
                String signed =
                        joinSignatures(
                                secret,
                                previous,
                                ",",
                                key -> HmacSigner.signHex(key, seconds, body));
                set(headers, own.signature(), signed);
                set(headers, own.timestamp(), seconds);
            }
            case AuthConfig.StandardWebhooksAuth(var secret, var previous) -> {
                String id = request.event().toString();
                String signed =
                        joinSignatures(
                                secret,
                                previous,
                                " ",
                                key -> HmacSigner.signStandardWebhooks(key, id, seconds, body));
                set(headers, "webhook-id", id);
                set(headers, "webhook-timestamp", seconds);
                set(headers, STANDARD_WEBHOOKS_SIGNATURE, signed);
            }
            case AuthConfig.ApiKeyAuth(var header, var key) ->
                    set(headers, header, latin1(key.reveal()));
            case AuthConfig.HttpBasicAuth(var username, var password) ->
                    set(headers, AUTHORIZATION, basicCredentials(username, password));
        }
    }

    /// Joins the signatures into one string. While a secret is being replaced, there are two
    /// signatures; the signature made with the newer secret comes first.
    private static String joinSignatures(
            Secret secret, Optional<Secret> previous, String separator, SecretSigner signer) {
        String signed = signer.sign(secret);
        return previous.map(older -> signed + separator + signer.sign(older)).orElse(signed);
    }

    private static String basicCredentials(String username, Secret password) {
        byte[] pair = (username + ":" + password.reveal()).getBytes(UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    /// Returns the text's UTF-8 bytes as Latin-1 characters, one character for each byte. [Header]
    /// requires this form.
    private static String latin1(String text) {
        return new String(text.getBytes(UTF_8), ISO_8859_1);
    }

    private static void set(List<Header> headers, String name, String value) {
        headers.removeIf(header -> HeaderSyntax.isSameFolded(header.name(), name));
        headers.add(new Header(name, value));
    }

    private interface SecretSigner {

        String sign(Secret secret);
    }
}
