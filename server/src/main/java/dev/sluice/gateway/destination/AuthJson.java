package dev.sluice.gateway.destination;

import dev.sluice.gateway.CredentialFields;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;

/// Converts an [AuthConfig] to and from JSON. There are three JSON forms: the one that users send,
/// the one that the API shows, and the one that is encrypted for storage.
final class AuthJson {

    private AuthJson() {}

    /// Reads `auth_config`. Invalid fields are recorded as errors in `input`; if there are any, the
    /// result must not be used.
    static AuthConfig read(FieldReader input, CustomHeaderRules headerRules) {
        var fields = new CredentialFields(input, "auth_config", headerRules);
        String type = input.required("type", input.text("type", 1, 50)).orElse("");
        AuthConfig auth =
                switch (type) {
                    case "none" -> new AuthConfig.NoAuth();
                    case "hmac" ->
                            new AuthConfig.HmacAuth(
                                    fields.signingSecret(), fields.previousSigningSecret());
                    case "standard_webhooks" -> standardWebhooks(fields);
                    case "api_key" ->
                            new AuthConfig.ApiKeyAuth(
                                    header(input, fields), fields.pastedSecret("key"));
                    case "basic_auth" ->
                            new AuthConfig.HttpBasicAuth(fields.username(), fields.password());
                    default -> unknown(input, type);
                };
        if (!type.isEmpty()) {
            input.rejectUnknownFields();
        }
        return auth;
    }

    private static AuthConfig standardWebhooks(CredentialFields fields) {
        var secret = fields.signingSecret();
        var previous = fields.previousSigningSecret();
        fields.requireStandardWebhooksKeys(secret, previous);
        return new AuthConfig.StandardWebhooksAuth(secret, previous);
    }

    private static AuthConfig unknown(FieldReader input, String type) {
        if (!type.isEmpty()) {
            input.addError(
                    "type", "must be one of none, hmac, api_key, basic_auth, standard_webhooks.");
        }
        return new AuthConfig.UnreadableAuth();
    }

    private static String header(FieldReader input, CredentialFields fields) {
        return input.required("header", fields.headerName("header")).orElse("");
    }

    static JsonObject masked(AuthConfig auth) {
        return json(auth, _ -> Secret.MASK);
    }

    /// Returns the config as JSON text with unmasked secrets. The caller must encrypt the text
    /// before storing it, and must not use it for anything else.
    static String revealed(AuthConfig auth) {
        return Json.text(json(auth, Secret::reveal));
    }

    /// Parses a decrypted config. If this version cannot read it, returns
    /// [AuthConfig.UnreadableAuth], so that no request is sent without its authentication.
    static AuthConfig parseUnsealed(String json) {
        try {
            var input = Json.fieldReader(json.getBytes(StandardCharsets.UTF_8));
            var auth = read(input, CustomHeaderRules.FOR_STORED_ROWS);
            input.check();
            return auth;
        } catch (MalformedJsonException | InvalidFieldsException e) {
            return new AuthConfig.UnreadableAuth();
        }
    }

    private static JsonObject json(AuthConfig auth, Function<Secret, String> show) {
        return switch (auth) {
            case AuthConfig.NoAuth() -> new JsonObject().put("type", "none");
            case AuthConfig.HmacAuth(Secret secret, Optional<Secret> previous) ->
                    secretsJson("hmac", secret, previous, show);
            case AuthConfig.StandardWebhooksAuth(Secret secret, Optional<Secret> previous) ->
                    secretsJson("standard_webhooks", secret, previous, show);
            case AuthConfig.ApiKeyAuth(String header, Secret key) ->
                    new JsonObject()
                            .put("type", "api_key")
                            .put("header", header)
                            .put("key", show.apply(key));
            case AuthConfig.HttpBasicAuth(String username, Secret password) ->
                    new JsonObject()
                            .put("type", "basic_auth")
                            .put("username", username)
                            .put("password", show.apply(password));
            case AuthConfig.UnreadableAuth() -> new JsonObject().put("type", "unreadable");
        };
    }

    private static JsonObject secretsJson(
            String type, Secret secret, Optional<Secret> previous, Function<Secret, String> show) {
        return CredentialFields.putSecrets(
                new JsonObject().put("type", type), secret, previous, show);
    }
}
