package dev.sluice.relay.verify;

import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// How one kind of sender signs with an HMAC.
///
/// @param header carries the signature
/// @param content what is signed, with `{body}`, `{timestamp}`, `{id}`, `{url}` and `{form}` in the
///   places of these
/// @param algorithm such as `HmacSHA256`
record Scheme(
        String header,
        Layout layout,
        Template content,
        String algorithm,
        Encoding encoding,
        KeyForm key,
        Stamp stamp,
        Duration tolerance) {

    /// How the header's value is laid out.
    sealed interface Layout {

        /// The signature after a prefix, which may be empty.
        record Prefixed(String prefix, boolean isRequired) implements Layout {}

        /// `name=value` pairs; several signatures may stand there, one timestamp.
        record Pairs(char separator, String timestamp, String signature) implements Layout {}

        /// `version,signature` items between spaces; only those of one version count.
        record Versioned(String version) implements Layout {}
    }

    /// Where the timestamp stands.
    sealed interface Stamp {

        /// There is none, so a request can be sent again at any time.
        record Nowhere() implements Stamp {}

        record InHeader(String name) implements Stamp {}

        record InSignature() implements Stamp {}

        /// A number in a field of the JSON body.
        record InBody(String field) implements Stamp {}
    }

    enum Encoding {
        HEX,
        BASE64;

        /// Empty when the text is not so encoded. Hex may be of either case, Base64 of either
        /// alphabet.
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

    /// How a secret becomes a key.
    enum KeyForm {
        /// Its UTF-8 bytes, whatever it begins with.
        TEXT,
        /// What it encodes in Base64 after `whsec_`; a secret that encodes nothing is taken as
        /// text, as signing does it.
        STANDARD_WEBHOOKS
    }
}
