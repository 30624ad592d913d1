package dev.sluice.engine.signature;

import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// Describes how one kind of sender signs its requests with an HMAC.
///
/// @param header the name of the header that contains the signature
/// @param content the template of the signed text, with any of the slots `{body}`, `{timestamp}`,
///   `{id}`, `{url}` and `{form}`
/// @param algorithm the algorithm's name in the JDK, such as `HmacSHA256`
/// @param tolerance the maximum difference between the timestamp and the time of receipt
public record SignatureScheme(
        String header,
        SignatureLayout layout,
        SignedContentTemplate content,
        String algorithm,
        SignatureEncoding encoding,
        SecretEncoding secretEncoding,
        TimestampLocation timestampLocation,
        Duration tolerance) {

    static final String SHA256 = "HmacSHA256";
    static final String SHA1 = "HmacSHA1";

    private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

    /// Returns the simplest scheme with this header and template: HMAC-SHA256 with the secret's
    /// text as the key, and a header that contains only the signature, in hex. There is no
    /// timestamp. Each of the `with…` methods changes one of these properties.
    static SignatureScheme of(String header, String content) {
        return new SignatureScheme(
                header,
                new SignatureLayout.PrefixedSignature("", false),
                SignedContentTemplate.of(content),
                SHA256,
                SignatureEncoding.HEX,
                SecretEncoding.TEXT,
                new TimestampLocation.NoTimestamp(),
                DEFAULT_TOLERANCE);
    }

    SignatureScheme withLayout(SignatureLayout changed) {
        return new SignatureScheme(
                header,
                changed,
                content,
                algorithm,
                encoding,
                secretEncoding,
                timestampLocation,
                tolerance);
    }

    SignatureScheme withEncoding(SignatureEncoding changed) {
        return new SignatureScheme(
                header,
                layout,
                content,
                algorithm,
                changed,
                secretEncoding,
                timestampLocation,
                tolerance);
    }

    SignatureScheme withAlgorithm(String changed) {
        return new SignatureScheme(
                header,
                layout,
                content,
                changed,
                encoding,
                secretEncoding,
                timestampLocation,
                tolerance);
    }

    SignatureScheme withSecretEncoding(SecretEncoding changed) {
        return new SignatureScheme(
                header,
                layout,
                content,
                algorithm,
                encoding,
                changed,
                timestampLocation,
                tolerance);
    }

    SignatureScheme withTimestamp(TimestampLocation changed) {
        return new SignatureScheme(
                header, layout, content, algorithm, encoding, secretEncoding, changed, tolerance);
    }

    SignatureScheme withTolerance(Duration changed) {
        return new SignatureScheme(
                header,
                layout,
                content,
                algorithm,
                encoding,
                secretEncoding,
                timestampLocation,
                changed);
    }

    /// Returns the name of the header that contains the message id: `webhook-id` or `svix-id`.
    /// Meant only for schemes that sign a message id.
    public String messageIdHeader() {
        return header.replace("-signature", "-id");
    }

    /// The format of the signature header's value.
    public sealed interface SignatureLayout {

        /// One signature after a prefix, which may be empty. Unless `isRequired`, the signature is
        /// also accepted without the prefix.
        record PrefixedSignature(String prefix, boolean isRequired) implements SignatureLayout {}

        /// `name=value` pairs: one timestamp, and one or more signatures. `timestamp` and
        /// `signature` are the names used in these pairs.
        record SignaturePairs(char separator, String timestamp, String signature)
                implements SignatureLayout {}

        /// `version,signature` items separated by spaces. Items of other versions are ignored.
        record VersionedSignatures(String version) implements SignatureLayout {}
    }

    /// The place where a request's timestamp is found.
    public sealed interface TimestampLocation {

        /// The request has no timestamp. An intercepted request can therefore be replayed at any
        /// time.
        record NoTimestamp() implements TimestampLocation {}

        /// The timestamp is in a separate header.
        record HeaderTimestamp(String name) implements TimestampLocation {}

        /// The timestamp is one of the pairs in the signature header.
        record SignatureTimestamp() implements TimestampLocation {}

        /// The timestamp is a number in a field of the JSON body.
        record BodyTimestamp(String field) implements TimestampLocation {}
    }

    public enum SignatureEncoding {
        HEX,
        BASE64;

        public String encode(byte[] bytes) {
            return switch (this) {
                case HEX -> HexFormat.of().formatHex(bytes);
                case BASE64 -> Base64.getEncoder().encodeToString(bytes);
            };
        }

        /// Decodes text in this encoding: hex in either case, or Base64 in the standard or URL-safe
        /// alphabet. Returns empty if the text is invalid.
        public Optional<byte[]> decode(String text) {
            try {
                return Optional.of(
                        switch (this) {
                            case HEX -> HexFormat.of().parseHex(text);
                            case BASE64 ->
                                    text.indexOf('-') >= 0 || text.indexOf('_') >= 0
                                            ? Base64.getUrlDecoder().decode(text)
                                            : Base64.getDecoder().decode(text);
                        });
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }

    /// How a secret is converted to an HMAC key.
    public enum SecretEncoding {
        /// The UTF-8 bytes of the secret, including any prefix.
        TEXT,
        /// The secret without its `whsec_` prefix, if it has one, decoded as Base64. If that is not
        /// valid Base64, the UTF-8 bytes of the whole secret. Sluice converts its own signing
        /// secrets in the same way.
        STANDARD_WEBHOOKS
    }
}
