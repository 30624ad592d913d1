package dev.sluice.relay.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.secret.Secret;

import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// HMAC-SHA256 in the two conventions that destinations can choose from.
final class Signature {

    private static final String STANDARD_PREFIX = "whsec_";

    private Signature() {}

    /// Lower-case hex over `timestamp.body`; the key is the secret's text.
    static String hex(Secret secret, String timestamp, Body body) {
        return HexFormat.of().formatHex(sign(secret.reveal().getBytes(UTF_8), timestamp, body));
    }

    /// `v1,` and Base64 over `id.timestamp.body`. The key is what the secret encodes in Base64, as
    /// the convention's libraries have it; a secret that encodes nothing is used as it stands.
    static String standard(Secret secret, String id, String timestamp, Body body) {
        byte[] signature = sign(standardKey(secret.reveal()), id + "." + timestamp, body);
        return "v1," + Base64.getEncoder().encodeToString(signature);
    }

    private static byte[] standardKey(String secret) {
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

    private static byte[] sign(byte[] key, String before, Body body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            // No key at all is refused by the JDK; HMAC pads with zeros, so one zero is the same.
            mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, "HmacSHA256"));
            mac.update(before.getBytes(UTF_8));
            mac.update((byte) '.');
            body.feed(mac);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }
}
