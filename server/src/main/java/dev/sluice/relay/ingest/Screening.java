package dev.sluice.relay.ingest;

import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.Checked;
import dev.sluice.relay.verify.Handshake;
import dev.sluice.relay.verify.Inbound;
import dev.sluice.relay.verify.Verifier;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What verification makes of a request before it is stored.
final class Screening {

    /// @param headers as they may be stored: without the credential that the source was shown
    /// @param handshake the answer to a sender's question, which is not sent on
    record Screened(Checked checked, List<Header> headers, Optional<Reply> handshake) {

        boolean isSentOn() {
            return !checked.isFailed() && handshake.isEmpty();
        }
    }

    private final String baseUrl;

    /// @param baseUrl our public address, as senders know it; never taken from the request
    Screening(String baseUrl) {
        this.baseUrl = baseUrl;
    }

    Screened screen(
            Source source, Request request, Instant headReadAt, List<Header> headers, byte[] body) {
        var config = source.verification();
        if (config instanceof VerificationConfig.None) {
            return new Screened(Checked.SKIPPED, headers, Optional.empty());
        }
        var inbound = new Inbound(headers, body, headReadAt, baseUrl + request.pathQuery());
        var finding = Verifier.check(config, inbound);
        return new Screened(
                finding.checked(),
                withoutCredential(config, headers),
                Handshake.answer(config, finding, body));
    }

    private static List<Header> withoutCredential(VerificationConfig config, List<Header> headers) {
        return config.credentialHeader().map(name -> masked(name, headers)).orElse(headers);
    }

    private static List<Header> masked(String name, List<Header> headers) {
        return headers.stream()
                .map(header ->
                        header.isNamed(name) ? new Header(header.name(), Secret.MASK) : header)
                .toList();
    }
}
