package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.signature.SignatureScheme;
import dev.sluice.engine.signature.SignatureScheme.SecretEncoding;
import dev.sluice.engine.signature.SignatureScheme.TimestampLocation;
import dev.sluice.engine.signature.SignedContentTemplate.SlotValues;
import dev.sluice.gateway.StandardWebhooksSecret;
import dev.sluice.platform.secret.Secret;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Checks an inbound request's HMAC signature.
///
/// The signature matches if any of the secrets, with any variant of the URL, produces any of the
/// signatures in the header. All combinations are compared, each in constant time. The timestamp,
/// if the scheme has one, is checked against the tolerance only after a signature has matched.
final class HmacVerifier {

    private HmacVerifier() {}

    static VerificationResult check(
            SignatureScheme scheme, List<Secret> secrets, InboundRequest inbound)
            throws VerificationException {
        String header =
                inbound.singleHeader(
                        scheme.header(),
                        VerificationReason.SIGNATURE_MISSING,
                        VerificationReason.SIGNATURE_REPEATED);
        var value = SignatureHeader.parse(header, scheme.layout(), scheme.encoding());
        var stamp = readTimestamp(scheme.timestampLocation(), value, inbound);
        String timestamp = stamp.orElse("");
        if (stamp.isPresent()) {
            TimestampValidator.parseSeconds(timestamp);
        }
        var signer = findSigningSecret(scheme, secrets, value, timestamp, inbound);
        switch (scheme.timestampLocation()) {
            case TimestampLocation.NoTimestamp() -> {}
            case TimestampLocation.HeaderTimestamp _, TimestampLocation.SignatureTimestamp _ ->
                    TimestampValidator.requireWithinTolerance(
                            TimestampValidator.parseSeconds(timestamp),
                            inbound.headReadAt(),
                            scheme.tolerance());
            case TimestampLocation.BodyTimestamp(String field) ->
                    TimestampValidator.requireWithinTolerance(
                            TimestampValidator.readFromBody(field, inbound.body()),
                            inbound.headReadAt(),
                            scheme.tolerance());
        }
        return new VerificationResult.VerificationPassed(Optional.of(signer));
    }

    private static Optional<String> readTimestamp(
            TimestampLocation timestampLocation, SignatureHeader value, InboundRequest inbound)
            throws VerificationException {
        return switch (timestampLocation) {
            case TimestampLocation.NoTimestamp(), TimestampLocation.BodyTimestamp _ ->
                    Optional.empty();
            case TimestampLocation.HeaderTimestamp(String name) ->
                    Optional.of(
                            inbound.singleHeader(
                                    name,
                                    VerificationReason.TIMESTAMP_MISSING,
                                    VerificationReason.TIMESTAMP_REPEATED));
            case TimestampLocation.SignatureTimestamp() ->
                    Optional.of(
                            value.timestamp()
                                    .orElseThrow(() ->
                                            new VerificationException(
                                                    VerificationReason.TIMESTAMP_MISSING)));
        };
    }

    private static Secret findSigningSecret(
            SignatureScheme scheme,
            List<Secret> secrets,
            SignatureHeader value,
            String timestamp,
            InboundRequest inbound)
            throws VerificationException {
        var content = scheme.content();
        String id = content.hasSlot("{id}") ? messageId(scheme, inbound) : "";
        String form = content.hasSlot("{form}") ? TwilioSignedContent.of(inbound) : "";
        var urls = content.hasSlot("{url}") ? SignedUrlVariants.of(inbound.url()) : List.of("");
        Optional<Secret> signer = Optional.empty();
        for (var secret : secrets) {
            for (String url : urls) {
                var values = new SlotValues(id, timestamp, url, form);
                if (matches(scheme, secret, values, inbound.body(), value) && signer.isEmpty()) {
                    signer = Optional.of(secret);
                }
            }
        }
        return signer.orElseThrow(
                () -> new VerificationException(VerificationReason.SIGNATURE_MISMATCH));
    }

    /// Returns the message id from the header that accompanies the signature.
    private static String messageId(SignatureScheme scheme, InboundRequest inbound)
            throws VerificationException {
        return inbound.singleHeader(
                scheme.messageIdHeader(),
                VerificationReason.MESSAGE_ID_MISSING,
                VerificationReason.MESSAGE_ID_REPEATED);
    }

    private static boolean matches(
            SignatureScheme scheme,
            Secret secret,
            SlotValues values,
            byte[] body,
            SignatureHeader value) {
        byte[] key = key(scheme.secretEncoding(), secret);
        if (key.length == 0) {
            return false;
        }
        byte[] expected = hmac(scheme, key, values, body);
        boolean matches = false;
        for (byte[] candidate : value.candidates()) {
            matches |= MessageDigest.isEqual(expected, candidate);
        }
        return matches;
    }

    /// Returns the signature that a sender with this secret would create.
    static byte[] sign(SignatureScheme scheme, Secret secret, SlotValues values, byte[] body) {
        return hmac(scheme, key(scheme.secretEncoding(), secret), values, body);
    }

    private static byte[] hmac(SignatureScheme scheme, byte[] key, SlotValues values, byte[] body) {
        try {
            var mac = Mac.getInstance(scheme.algorithm());
            mac.init(new SecretKeySpec(key, scheme.algorithm()));
            scheme.content().updateMac(mac, values, body);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + scheme.algorithm(), e);
        }
    }

    private static byte[] key(SecretEncoding encoding, Secret secret) {
        return switch (encoding) {
            case TEXT -> secret.reveal().getBytes(UTF_8);
            case STANDARD_WEBHOOKS -> new StandardWebhooksSecret(secret).key();
        };
    }
}
