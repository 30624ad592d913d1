package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.signature.GenericHmacSignature;
import dev.sluice.engine.signature.SignatureScheme;
import dev.sluice.engine.signature.SignatureScheme.SignatureLayout;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;
import dev.sluice.engine.signature.SignatureSchemes;
import dev.sluice.engine.signature.SignedContentTemplate.SlotValues;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// Signs a webhook as the source's sender would, so that [Verifier] normally accepts it. This class
/// has no state and performs no I/O.
///
/// Headers that the webhook already has are kept. A webhook that already has a signature or a
/// credential is not signed. If a webhook already has a timestamp or a message id, the signature
/// covers that value.
public final class WebhookSigner {

    /// A webhook's headers and URL, as returned by [#sign].
    ///
    /// @param headers all headers; those that [#sign] added are last
    /// @param url the URL to which the webhook must be sent; a signature may cover it
    public record SignedWebhook(List<Header> headers, String url) {

        public SignedWebhook {
            headers = List.copyOf(headers);
        }
    }

    private WebhookSigner() {}

    /// Returns the name of the signature header that [#sign] cannot create, or empty if there is
    /// none. `sign` cannot create Discord's signature, because a source has only Discord's public
    /// key.
    public static Optional<String> missingHeader(VerificationConfig config) {
        return config instanceof VerificationConfig.DiscordVerification
                ? Optional.of(DiscordVerifier.SIGNATURE_HEADER)
                : Optional.empty();
    }

    /// Returns the webhook with all headers that its verification needs, except those that cannot
    /// be created (see [#missingHeader]).
    ///
    /// @param url the source's public URL
    /// @param now the time at which the webhook is signed
    public static SignedWebhook sign(
            VerificationConfig config, List<Header> headers, byte[] body, String url, Instant now) {
        var unsigned = new InboundRequest(headers, body, now, url);
        return switch (config) {
            case VerificationConfig.NoVerification(),
                    VerificationConfig.UnreadableVerification(),
                    VerificationConfig.DiscordVerification _ ->
                    new SignedWebhook(headers, url);
            case VerificationConfig.ProviderVerification(
                            WebhookProvider provider,
                            Secret secret,
                            Optional<Secret> _,
                            String _) ->
                    config.credentialHeader()
                            .map(name -> withCredential(unsigned, name, secret.reveal()))
                            .orElseGet(() ->
                                    withHmac(SignatureSchemes.of(provider), secret, unsigned));
            case VerificationConfig.GenericHmacVerification hmac ->
                    withHmac(List.of(GenericHmacSignature.schemeOf(hmac)), hmac.secret(), unsigned);
            case VerificationConfig.BasicAuthVerification(String username, Secret password) ->
                    withCredential(unsigned, "Authorization", basic(username, password));
            case VerificationConfig.ApiKeyVerification(String header, Secret key) ->
                    withCredential(unsigned, header, key.reveal());
        };
    }

    private static String basic(String username, Secret password) {
        byte[] pair = (username + ":" + password.reveal()).getBytes(UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static SignedWebhook withCredential(
            InboundRequest unsigned, String name, String credential) {
        var headers = new ArrayList<>(unsigned.headers());
        var _ = existingOr(headers, Header.ofText(name, credential));
        return new SignedWebhook(headers, unsigned.url());
    }

    private static SignedWebhook withHmac(
            List<SignatureScheme> schemes, Secret secret, InboundRequest unsigned) {
        boolean isSigned = schemes.stream().anyMatch(scheme -> unsigned.hasHeader(scheme.header()));
        if (isSigned) {
            return new SignedWebhook(unsigned.headers(), unsigned.url());
        }
        try {
            return withHmac(schemes.getFirst(), secret, unsigned);
        } catch (VerificationException e) {
            throw new IllegalStateException("the URL has the hash of the body", e);
        }
    }

    private static SignedWebhook withHmac(
            SignatureScheme scheme, Secret secret, InboundRequest unsigned)
            throws VerificationException {
        var headers = new ArrayList<>(unsigned.headers());
        var now = unsigned.headReadAt();
        String seconds = Long.toString(now.getEpochSecond());
        String timestamp =
                switch (scheme.timestampLocation()) {
                    case TimestampLocation.HeaderTimestamp(String name) ->
                            existingOr(headers, new Header(name, seconds));
                    case TimestampLocation.SignatureTimestamp() -> seconds;
                    case TimestampLocation.NoTimestamp(), TimestampLocation.BodyTimestamp _ -> "";
                };
        var content = scheme.content();
        String id = "";
        if (content.hasSlot("{id}")) {
            var made = new Header(scheme.messageIdHeader(), "msg_test_" + now.toEpochMilli());
            id = existingOr(headers, made);
        }
        var inbound = unsigned;
        String form = "";
        if (content.hasSlot("{form}")) {
            String url = TwilioSignedContent.coveringUrl(unsigned);
            inbound = new InboundRequest(unsigned.headers(), unsigned.body(), now, url);
            form = TwilioSignedContent.of(inbound);
        }
        var values = new SlotValues(id, timestamp, inbound.url(), form);
        String signature =
                scheme.encoding().encode(HmacVerifier.sign(scheme, secret, values, inbound.body()));
        headers.add(new Header(scheme.header(), layOut(scheme.layout(), signature, timestamp)));
        return new SignedWebhook(headers, inbound.url());
    }

    private static String layOut(SignatureLayout layout, String signature, String timestamp) {
        return switch (layout) {
            case SignatureLayout.PrefixedSignature(String prefix, boolean isRequired) ->
                    isRequired ? prefix + signature : signature;
            case SignatureLayout.SignaturePairs(char separator, String time, String name) ->
                    time + "=" + timestamp + separator + name + "=" + signature;
            case SignatureLayout.VersionedSignatures(String version) -> version + "," + signature;
        };
    }

    /// Returns the value of the header with the same name as `made`. If there is none, adds `made`
    /// and returns its value.
    private static String existingOr(List<Header> headers, Header made) {
        for (var header : headers) {
            if (header.isNamed(made.name())) {
                return header.value();
            }
        }
        headers.add(made);
        return made.value();
    }
}
