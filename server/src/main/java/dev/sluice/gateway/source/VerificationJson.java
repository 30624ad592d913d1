package dev.sluice.gateway.source;

import dev.sluice.gateway.CredentialFields;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;

/// Converts a [VerificationConfig] to and from JSON. There are three JSON forms: the one that users
/// send, the one that the API shows, and the one that is encrypted for storage.
public final class VerificationJson {

    private static final int DEFAULT_TOLERANCE_SECONDS = 300;

    /// The maximum tolerance for timestamps: one week, in seconds. With a longer tolerance, an
    /// attacker could replay requests that are more than a week old.
    private static final int MAX_TOLERANCE_SECONDS = 7 * 24 * 3600;

    private static final SortedMap<String, WebhookProvider> PROVIDERS_BY_NAME =
            WebhookProvider.byName();

    private VerificationJson() {}

    /// Reads `verification_config`. Invalid fields are recorded as errors in `input`; if there are
    /// any, the result must not be used.
    public static VerificationConfig read(FieldReader input, CustomHeaderRules headerRules) {
        var fields = new CredentialFields(input, "verification_config", headerRules);
        String provider = input.required("provider", input.text("provider", 1, 50)).orElse("");
        var config =
                switch (provider) {
                    case "none" -> new VerificationConfig.NoVerification();
                    case "generic_hmac" -> genericHmac(input, fields);
                    case "basic_auth" ->
                            new VerificationConfig.BasicAuthVerification(
                                    fields.username(), fields.password());
                    case "api_key" ->
                            new VerificationConfig.ApiKeyVerification(
                                    requiredHeader(input, fields.headerName("header")),
                                    fields.pastedSecret("key"));
                    case "discord" -> new VerificationConfig.DiscordVerification(publicKey(input));
                    default ->
                            Optional.ofNullable(PROVIDERS_BY_NAME.get(provider))
                                    .map(known -> providerVerification(fields, known, provider))
                                    .orElseGet(() -> unknown(input, provider));
                };
        if (!provider.isEmpty()) {
            input.rejectUnknownFields();
        }
        return config;
    }

    private static VerificationConfig unknown(FieldReader input, String provider) {
        if (!provider.isEmpty()) {
            input.addError(
                    "provider",
                    "must be one of none, "
                            + String.join(", ", PROVIDERS_BY_NAME.keySet())
                            + ", discord, generic_hmac, basic_auth, api_key.");
        }
        return new VerificationConfig.UnreadableVerification();
    }

    private static VerificationConfig providerVerification(
            CredentialFields fields, WebhookProvider provider, String name) {
        var secret = fields.pastedSecret("secret");
        var previous = fields.previousPastedSecret();
        if (provider == WebhookProvider.STANDARD_WEBHOOKS) {
            fields.requireStandardWebhooksKeys(secret, previous);
        }
        return new VerificationConfig.ProviderVerification(provider, secret, previous, name);
    }

    private static VerificationConfig genericHmac(FieldReader input, CredentialFields fields) {
        var timestampHeader =
                header(input, "timestamp_header", fields.signingHeaderName("timestamp_header"))
                        .toOptional();
        var signed = input.oneOf("signed_content", SignedContent.BY_TEXT).toOptional();
        if (timestampHeader.isEmpty() && signed.equals(Optional.of(SignedContent.TIMESTAMP_BODY))) {
            input.addError(
                    "signed_content", "can be timestamp.body only if timestamp_header is set.");
        }
        return new VerificationConfig.GenericHmacVerification(
                fields.pastedSecret("secret"),
                fields.previousPastedSecret(),
                requiredHeader(input, fields.signingHeaderName("header")),
                input.required(
                                "algorithm",
                                input.oneOf("algorithm", VerificationConfig.HmacAlgorithm.BY_TEXT))
                        .orElse(VerificationConfig.HmacAlgorithm.SHA256),
                input.required(
                                "encoding",
                                input.oneOf("encoding", VerificationConfig.HmacEncoding.BY_TEXT))
                        .orElse(VerificationConfig.HmacEncoding.HEX),
                timestampHeader,
                Duration.ofSeconds(
                        input.integer("tolerance_secs", 1, MAX_TOLERANCE_SECONDS)
                                .orElse(DEFAULT_TOLERANCE_SECONDS)),
                signed);
    }

    private static String requiredHeader(FieldReader input, Patch<String> name) {
        return input.required("header", header(input, "header", name)).orElse("");
    }

    /// Records an error if the header is `Content-Type`. The API must not show a header that
    /// contains a credential, but it shows the content type of every event. No sender needs
    /// `Content-Type` here: none puts a signature or key in it.
    private static Patch<String> header(FieldReader input, String field, Patch<String> header) {
        header.toOptional()
                .filter("Content-Type"::equalsIgnoreCase)
                .ifPresent(
                        _ -> input.addError(field, "must not be Content-Type, which events show."));
        return header;
    }

    private static String publicKey(FieldReader input) {
        var key =
                input.required(
                        "public_key",
                        input.text("public_key", 1, CredentialFields.MAX_SECRET_LENGTH));
        key.toOptional()
                .flatMap(VerificationJson::publicKeyError)
                .ifPresent(message -> input.addError("public_key", message));
        return key.orElse("");
    }

    private static Optional<String> publicKeyError(String text) {
        if (!Ed25519PublicKey.isWellFormed(text)) {
            return Optional.of("must be the application's public key: 64 hexadecimal digits.");
        }
        return Ed25519PublicKey.isWeak(text)
                ? Optional.of(
                        "must be the application's public key. This one would accept signatures"
                                + " that anybody can make.")
                : Optional.empty();
    }

    static JsonObject masked(VerificationConfig config) {
        return json(config, _ -> Secret.MASK);
    }

    /// Returns the config as JSON text with unmasked secrets. The caller must encrypt the text
    /// before storing it, and must not use it for anything else.
    static String revealed(VerificationConfig config) {
        return Json.text(json(config, Secret::reveal));
    }

    /// Parses a decrypted config. If this version cannot read it, returns
    /// [VerificationConfig.UnreadableVerification], so that verification is never silently turned
    /// off.
    static VerificationConfig parseUnsealed(String json) {
        try {
            var input = Json.fieldReader(json.getBytes(StandardCharsets.UTF_8));
            var config = read(input, CustomHeaderRules.FOR_STORED_ROWS);
            input.check();
            return config;
        } catch (MalformedJsonException | InvalidFieldsException e) {
            return new VerificationConfig.UnreadableVerification();
        }
    }

    private static JsonObject json(VerificationConfig config, Function<Secret, String> show) {
        return switch (config) {
            case VerificationConfig.NoVerification() -> provider("none");
            case VerificationConfig.UnreadableVerification() -> provider("unreadable");
            case VerificationConfig.ProviderVerification(
                            WebhookProvider _,
                            var secret,
                            var previous,
                            String name) ->
                    CredentialFields.putSecrets(provider(name), secret, previous, show);
            case VerificationConfig.GenericHmacVerification hmac -> json(hmac, show);
            case VerificationConfig.DiscordVerification(String publicKey) ->
                    provider("discord").put("public_key", publicKey);
            case VerificationConfig.BasicAuthVerification(String username, Secret password) ->
                    provider("basic_auth")
                            .put("username", username)
                            .put("password", show.apply(password));
            case VerificationConfig.ApiKeyVerification(String header, Secret key) ->
                    provider("api_key").put("header", header).put("key", show.apply(key));
        };
    }

    private static JsonObject json(
            VerificationConfig.GenericHmacVerification hmac, Function<Secret, String> show) {
        var json =
                CredentialFields.putSecrets(
                                provider("generic_hmac"),
                                hmac.secret(),
                                hmac.previousSecret(),
                                show)
                        .put("header", hmac.header())
                        .put("algorithm", hmac.algorithm().text())
                        .put("encoding", hmac.encoding().text());
        hmac.timestampHeader().ifPresent(header -> json.put("timestamp_header", header));
        json.put("tolerance_secs", hmac.tolerance().toSeconds());
        hmac.signedContent().ifPresent(signed -> json.put("signed_content", signed.text()));
        return json;
    }

    private static JsonObject provider(String provider) {
        return new JsonObject().put("provider", provider);
    }
}
