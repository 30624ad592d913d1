package dev.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.Secret;

import java.util.Base64;

/// A signing secret in the format that the Standard Webhooks specification (standardwebhooks.com)
/// defines: a Base64 key with the optional prefix `whsec_`.
public record StandardWebhooksSecret(Secret secret) {

    private static final String PREFIX = "whsec_";

    /// The error message for a secret without a key. The message is meant to be appended to the
    /// field's path.
    static final String EMPTY_REFUSAL = "must have a key after " + PREFIX + ".";

    /// Whether the secret contains no key, because it is empty or consists only of the prefix.
    boolean isEmpty() {
        return key().length == 0;
    }

    /// Returns the key, decoded in the same way as in the specification's libraries.
    ///
    /// If the text after the prefix is not valid Base64, the key is the UTF-8 bytes of the whole
    /// secret, including the prefix.
    public byte[] key() {
        String text = secret.reveal();
        String encoded = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        try {
            return Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            return text.getBytes(UTF_8);
        }
    }
}
