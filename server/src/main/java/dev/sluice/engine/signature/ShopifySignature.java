package dev.sluice.engine.signature;

import dev.sluice.engine.signature.SignatureScheme.SignatureEncoding;

import java.util.List;

/// The schemes that `HmacVerifier` uses to verify webhooks from Shopify. The signature covers the
/// body and is sent in the `Shopify-Hmac-Sha256` or `X-Shopify-Hmac-Sha256` header.
///
/// Source: Shopify documentation, "Verify webhooks"; npm package `@shopify/shopify-api`.
final class ShopifySignature {

    static final List<SignatureScheme> SCHEMES =
            List.of(scheme("Shopify-Hmac-Sha256"), scheme("X-Shopify-Hmac-Sha256"));

    private ShopifySignature() {}

    private static SignatureScheme scheme(String header) {
        return SignatureScheme.of(header, "{body}").withEncoding(SignatureEncoding.BASE64);
    }
}
