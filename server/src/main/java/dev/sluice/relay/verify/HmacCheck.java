package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.Secret;
import dev.sluice.relay.VerificationReason;
import dev.sluice.relay.verify.Scheme.KeyForm;
import dev.sluice.relay.verify.Scheme.Stamp;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Checks an HMAC: any of the secrets, over any form of the URL, may match any of the signatures
/// given. All are compared, in constant time each. How old it is, is asked only of a request whose
/// signature matches.
final class HmacCheck {

    private static final String STANDARD_PREFIX = "whsec_";

    private HmacCheck() {}

    static Finding check(Scheme scheme, List<Secret> secrets, Inbound inbound) throws Refused {
        String header =
                inbound.only(
                        scheme.header(),
                        VerificationReason.SIGNATURE_MISSING,
                        VerificationReason.SIGNATURE_REPEATED);
        var value = SignatureValue.read(header, scheme.layout(), scheme.encoding());
        var stamp = stamp(scheme.stamp(), value, inbound);
        String timestamp = stamp.orElse("");
        if (stamp.isPresent()) {
            Timestamp.seconds(timestamp);
        }
        var signer = signer(scheme, secrets, value, timestamp, inbound);
        switch (scheme.stamp()) {
            case Stamp.Nowhere() -> {}
            case Stamp.InHeader _, Stamp.InSignature _ ->
                    Timestamp.judge(
                            Timestamp.seconds(timestamp), inbound.headReadAt(), scheme.tolerance());
            case Stamp.InBody(String field) ->
                    Timestamp.judge(
                            Timestamp.inBody(field, inbound.body()),
                            inbound.headReadAt(),
                            scheme.tolerance());
        }
        return new Finding.Verified(Optional.of(signer));
    }

    private static Optional<String> stamp(Stamp stamp, SignatureValue value, Inbound inbound)
            throws Refused {
        return switch (stamp) {
            case Stamp.Nowhere(), Stamp.InBody _ -> Optional.empty();
            case Stamp.InHeader(String name) ->
                    Optional.of(
                            inbound.only(
                                    name,
                                    VerificationReason.TIMESTAMP_MISSING,
                                    VerificationReason.TIMESTAMP_REPEATED));
            case Stamp.InSignature() ->
                    Optional.of(
                            value.timestamp()
                                    .orElseThrow(() ->
                                            new Refused(VerificationReason.TIMESTAMP_MISSING)));
        };
    }

    private static Secret signer(
            Scheme scheme,
            List<Secret> secrets,
            SignatureValue value,
            String timestamp,
            Inbound inbound)
            throws Refused {
        var content = scheme.content();
        String id = content.has("{id}") ? id(scheme, inbound) : "";
        String form = content.has("{form}") ? TwilioForm.signed(inbound) : "";
        var urls = content.has("{url}") ? PublicUrl.forms(inbound.url()) : List.of("");
        Optional<Secret> signer = Optional.empty();
        for (var secret : secrets) {
            for (String url : urls) {
                var slots = new Template.Slots(id, timestamp, url, form, inbound);
                if (matches(scheme, secret, slots, value) && signer.isEmpty()) {
                    signer = Optional.of(secret);
                }
            }
        }
        return signer.orElseThrow(() -> new Refused(VerificationReason.SIGNATURE_MISMATCH));
    }

    /// It stands beside the signature: `webhook-id`, `svix-id`.
    private static String id(Scheme scheme, Inbound inbound) throws Refused {
        return inbound.only(
                scheme.header().replace("-signature", "-id"),
                VerificationReason.MESSAGE_ID_MISSING,
                VerificationReason.MESSAGE_ID_REPEATED);
    }

    private static boolean matches(
            Scheme scheme, Secret secret, Template.Slots slots, SignatureValue value) {
        byte[] key = key(scheme.key(), secret.reveal());
        if (key.length == 0) {
            return false;
        }
        try {
            var mac = Mac.getInstance(scheme.algorithm());
            mac.init(new SecretKeySpec(key, scheme.algorithm()));
            scheme.content().feed(mac, slots);
            byte[] expected = mac.doFinal();
            boolean matches = false;
            for (byte[] candidate : value.candidates()) {
                matches |= MessageDigest.isEqual(expected, candidate);
            }
            return matches;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + scheme.algorithm(), e);
        }
    }

    private static byte[] key(KeyForm form, String secret) {
        if (form == KeyForm.TEXT) {
            return secret.getBytes(UTF_8);
        }
        String encoded =
                secret.startsWith(STANDARD_PREFIX)
                        ? secret.substring(STANDARD_PREFIX.length())
                        : secret;
        try {
            return Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            return secret.getBytes(UTF_8);
        }
    }
}
