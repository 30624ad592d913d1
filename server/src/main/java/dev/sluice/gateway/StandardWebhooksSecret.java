package dev.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.Secret;

import java.util.Base64;
import java.util.Optional;

/// A signing secret in the format that the Standard Webhooks specification (standardwebhooks.com)
/// defines: a Base64 key with the optional prefix `whsec_`. Some services show `v1,` before that
/// prefix, which is ignored.
public record StandardWebhooksSecret(Secret secret) {

    private static final String PREFIX = "whsec_";
    private static final String VERSION_PREFIX = "v1,";
    private static final int MIN_KEY_BYTES = 16;

    /// Returns why this secret cannot be saved, or empty if it can. Secrets that were saved before
    /// there were these rules still work. The message is meant to be appended to the field's path.
    Optional<String> error() {
        if (isEmpty()) {
            return Optional.of("must have a key after " + PREFIX + ".");
        }
        if (encodedKey().isPresent() && decodedKey().isEmpty()) {
            return Optional.of("must be Base64 after " + PREFIX + ".");
        }
        return key().length < MIN_KEY_BYTES
                ? Optional.of("must have a key of at least " + MIN_KEY_BYTES + " bytes.")
                : Optional.empty();
    }

    /// Whether the secret contains no key, because it is empty or consists only of the prefix.
    boolean isEmpty() {
        return key().length == 0;
    }

    /// Returns the key, decoded in the same way as in the specification's libraries. After the
    /// prefix, the alphabet of URLs is decoded too.
    ///
    /// If the text after the prefix is not valid Base64, the key is the UTF-8 bytes of the whole
    /// secret, including the prefix.
    public byte[] key() {
        return decodedKey().orElseGet(() -> secret.reveal().getBytes(UTF_8));
    }

    private Optional<byte[]> decodedKey() {
        var encoded = encodedKey();
        return encoded.isPresent()
                ? decode(Base64.getDecoder(), encoded.get())
                        .or(() -> decode(Base64.getUrlDecoder(), encoded.get()))
                : decode(Base64.getDecoder(), secret.reveal());
    }

    /// Returns the text after `whsec_`, or empty if the secret does not have this prefix.
    private Optional<String> encodedKey() {
        String text = secret.reveal();
        String key =
                text.startsWith(VERSION_PREFIX + PREFIX)
                        ? text.substring(VERSION_PREFIX.length())
                        : text;
        return key.startsWith(PREFIX)
                ? Optional.of(key.substring(PREFIX.length()))
                : Optional.empty();
    }

    private static Optional<byte[]> decode(Base64.Decoder decoder, String text) {
        try {
            return Optional.of(decoder.decode(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
