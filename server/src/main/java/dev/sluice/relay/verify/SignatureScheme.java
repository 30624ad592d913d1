package dev.sluice.relay.verify;

import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// How one kind of sender signs requests with an HMAC.
///
/// @param header name of the header that contains the signature
/// @param content template of the signed text, with the slots `{body}`, `{timestamp}`, `{id}`,
///   `{url}` and `{form}`
/// @param algorithm the algorithm's name in the JDK, such as `HmacSHA256`
/// @param tolerance maximum difference between the timestamp and the time of receipt
record SignatureScheme(
        String header,
        SignatureLayout layout,
        SignedContentTemplate content,
        String algorithm,
        SignatureEncoding encoding,
        SecretEncoding secretEncoding,
        TimestampLocation timestampLocation,
        Duration tolerance) {

    /// The format of the signature header's value.
    sealed interface SignatureLayout {

        /// One signature after a prefix, which may be empty.
        record PrefixedSignature(String prefix, boolean isRequired) implements SignatureLayout {}

        /// `name=value` pairs: one timestamp, and one or more signatures.
        record SignaturePairs(char separator, String timestamp, String signature)
                implements SignatureLayout {}

        /// `version,signature` items separated by spaces. Items of other versions are ignored.
        record VersionedSignatures(String version) implements SignatureLayout {}
    }

    /// Where a request contains its timestamp.
    sealed interface TimestampLocation {

        /// Nowhere. An intercepted request can be replayed at any time.
        record NoTimestamp() implements TimestampLocation {}

        /// In a separate header.
        record HeaderTimestamp(String name) implements TimestampLocation {}

        /// In a pair of the signature header.
        record SignatureTimestamp() implements TimestampLocation {}

        /// In a field of the JSON body, as a number.
        record BodyTimestamp(String field) implements TimestampLocation {}
    }

    enum SignatureEncoding {
        HEX,
        BASE64;

        /// Decodes hex in lower or upper case, or Base64 in the standard or the URL-safe alphabet.
        /// Empty for any other text.
        Optional<byte[]> decode(String text) {
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
    enum SecretEncoding {
        /// The UTF-8 bytes of the secret, including any prefix.
        TEXT,
        /// The decoded Base64 after `whsec_`. A secret that is not Base64 is used as text, as it is
        /// when Sluice signs.
        STANDARD_WEBHOOKS
    }
}
