package dev.sluice.engine.send;

import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Builds a request in the same way as a delivery attempt does, but masks its secrets and does not
/// send it. Immutable.
public final class DryRun {

    /// The request that an attempt would send, or the reason why it would fail.
    public sealed interface DryRunResult {}

    /// The request that would be sent, with credentials and signatures masked.
    ///
    /// @param headers all headers, in the order in which they would be sent
    public record MaskedRequest(List<Header> headers, OutboundBody body) implements DryRunResult {}

    /// Means that the attempt would fail with `transformation_failed` before sending anything.
    public record DryRunFailure(String reason) implements DryRunResult {}

    private final OutboundHeaderBuilder headerBuilder;

    /// @param headerPrefix the prefix of the headers that Sluice adds, such as `X-Service`
    public DryRun(String headerPrefix) {
        this.headerBuilder = new OutboundHeaderBuilder(headerPrefix);
    }

    public DryRunResult run(OutboundRequest request) {
        try {
            // Headers are masked before the transformation is applied, because a transformation may
            // rename a secret header.
            var prepared =
                    PreparedRequest.of(
                            request.withMaskedHeaders(), headerBuilder, request.attemptedAt());
            var headers = new ArrayList<>(framingHeaders(request.url(), prepared.body()));
            var secret = secretHeaderNames(request.auth());
            for (var header : prepared.headers()) {
                headers.add(
                        secret.contains(header.name())
                                ? new Header(header.name(), Secret.MASK)
                                : header);
            }
            return new MaskedRequest(headers, prepared.body());
        } catch (TransformationException e) {
            return new DryRunFailure(e.detail());
        }
    }

    /// Returns the headers at the start of every request: `Host` and `Content-Length`.
    private static List<Header> framingHeaders(DestinationUrl url, OutboundBody body) {
        return List.of(
                new Header("Host", url.authority()),
                new Header("Content-Length", Integer.toString(body.length())));
    }

    /// Returns the names of the headers to mask. Their values are keys, passwords and signatures,
    /// which someone who sees the dry run could misuse.
    private Set<String> secretHeaderNames(AuthConfig auth) {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        switch (auth) {
            case AuthConfig.NoAuth(), AuthConfig.UnreadableAuth() -> {}
            case AuthConfig.HmacAuth _ -> names.add(headerBuilder.signatureHeader());
            case AuthConfig.StandardWebhooksAuth _ ->
                    names.add(OutboundHeaderBuilder.STANDARD_WEBHOOKS_SIGNATURE);
            case AuthConfig.ApiKeyAuth(String header, _) -> names.add(header);
            case AuthConfig.HttpBasicAuth _ -> names.add(OutboundHeaderBuilder.AUTHORIZATION);
        }
        return names;
    }
}
