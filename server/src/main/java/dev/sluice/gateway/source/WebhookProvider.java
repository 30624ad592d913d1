package dev.sluice.gateway.source;

import java.util.SortedMap;
import java.util.TreeMap;

/// A webhook sender whose verification scheme Sluice knows, so that users need to set only the
/// secret. `docs/reference/verification.md` describes each scheme and says where its sender
/// documents it.
///
/// `engine.signature` contains a class for each scheme that uses signatures, such as
/// `StripeSignature`, and `engine.accept.HmacVerifier` verifies requests using these schemes.
/// GitLab does not sign its requests: it sends the secret itself.
public enum WebhookProvider {
    STRIPE("provider_payments", "stripe"),
    /// Also covers other senders that use GitHub's scheme, such as Meta.
    GITHUB("provider_code_host", "github"),
    SHOPIFY("provider_commerce", "shopify"),
    /// All senders that follow the Standard Webhooks specification (standardwebhooks.com).
    STANDARD_WEBHOOKS("standard_webhooks"),
    SLACK("slack"),
    GITLAB("gitlab"),
    TWILIO("twilio"),
    SQUARE("square"),
    PADDLE("paddle"),
    ZOOM("zoom"),
    LINEAR("linear"),
    TYPEFORM("typeform");

    private final String text;
    private final String otherName;

    WebhookProvider(String text) {
        this(text, text);
    }

    WebhookProvider(String text, String otherName) {
        this.text = text;
        this.otherName = otherName;
    }

    /// Returns the provider's name in the API.
    public String text() {
        return text;
    }

    /// Returns the providers by each name that the API accepts for them, in alphabetical order.
    /// Some have a second one: the company's own.
    public static SortedMap<String, WebhookProvider> byName() {
        var byName = new TreeMap<String, WebhookProvider>();
        for (var provider : values()) {
            byName.put(provider.text, provider);
            byName.put(provider.otherName, provider);
        }
        return byName;
    }
}
