package dev.sluice.engine.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.StandardWebhooksSecret;
import dev.sluice.platform.secret.Secret;

import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Computes the HMAC-SHA256 signature of an outbound request, in Sluice's own format or in the
/// Standard Webhooks format.
final class HmacSigner {

    private HmacSigner() {}

    /// Returns the HMAC over `timestamp.body` in lowercase hex. The secret's text is the key.
    static String signHex(Secret secret, String timestamp, OutboundBody body) {
        return HexFormat.of().formatHex(sign(secret.reveal().getBytes(UTF_8), timestamp, body));
    }

    /// Returns `v1,` followed by the HMAC over `id.timestamp.body` in Base64 (Standard Webhooks
    /// specification). The key is decoded from the secret's text.
    static String signStandardWebhooks(
            Secret secret, String id, String timestamp, OutboundBody body) {
        byte[] signature =
                sign(new StandardWebhooksSecret(secret).key(), id + "." + timestamp, body);
        return "v1," + Base64.getEncoder().encodeToString(signature);
    }

    private static byte[] sign(byte[] key, String prefix, OutboundBody body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256")); // refuses an empty key
            mac.update(prefix.getBytes(UTF_8));
            mac.update((byte) '.');
            body.updateMac(mac);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }
}
