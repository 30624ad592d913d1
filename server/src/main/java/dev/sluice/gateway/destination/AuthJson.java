package dev.sluice.gateway.destination;

import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;

/// The JSON forms of [Auth]: as users send it, as they see it, and as it is sealed.
final class AuthJson {

    private static final int MOST_SECRET = 500;

    private AuthJson() {}

    /// Reads `auth_config`; what is wrong is noted in the form, and reads as nothing.
    static Auth read(Form form) {
        String type = form.required("type", form.text("type", 1, 50)).or("");
        Auth auth =
                switch (type) {
                    case "none" -> new Auth.None();
                    case "hmac" -> new Auth.Hmac(secret(form, "secret"), previous(form));
                    case "standard_webhooks" ->
                            new Auth.StandardWebhooks(secret(form, "secret"), previous(form));
                    case "api_key" -> new Auth.ApiKey(header(form), key(form));
                    case "basic_auth" ->
                            new Auth.BasicAuth(username(form), secret(form, "password"));
                    default -> unknown(form, type);
                };
        if (!type.isEmpty()) {
            form.nothingElse();
        }
        return auth;
    }

    private static Auth unknown(Form form, String type) {
        if (!type.isEmpty()) {
            form.complain(
                    "type", "must be one of none, hmac, api_key, basic_auth, standard_webhooks.");
        }
        return new Auth.None();
    }

    private static Secret secret(Form form, String field) {
        return new Secret(form.required(field, secretText(form, field)).or(""));
    }

    /// It becomes a header's value as it stands.
    private static Secret key(Form form) {
        var key = secret(form, "key");
        String text = key.reveal();
        if (text.chars().anyMatch(Character::isISOControl) || !text.equals(text.strip())) {
            form.complain(
                    "key", "must not contain control characters, nor begin or end with a space.");
        }
        return key;
    }

    private static Optional<Secret> previous(Form form) {
        return secretText(form, "previous_secret").toOptional().map(Secret::new);
    }

    private static Patch<String> secretText(Form form, String field) {
        var text = form.text(field, 1, MOST_SECRET);
        text.toOptional()
                .filter(Secret.MASK::equals)
                .ifPresent(_ ->
                        form.complain(
                                field,
                                "is masked: re-enter the secret, or leave auth_config out to keep"
                                        + " it."));
        return text;
    }

    private static String header(Form form) {
        String name = form.required("header", form.text("header", 1, 200)).or("X-Api-Key");
        if (!HeaderSyntax.isName(name)) {
            form.complain("header", "must be a header name (letters, digits and -).");
        } else if (HeaderSyntax.isReserved(name)) {
            form.complain("header", "must not be " + name + ": the connection needs it.");
        }
        return name;
    }

    private static String username(Form form) {
        String name = form.required("username", form.text("username", 1, 200)).or("");
        if (name.contains(":")) {
            form.complain("username", "must not contain a colon (RFC 7617).");
        }
        return name;
    }

    static JsonObject masked(Auth auth) {
        return json(auth, _ -> Secret.MASK);
    }

    /// With the real secrets, for sealing only.
    static String revealed(Auth auth) {
        return Json.text(json(auth, Secret::reveal));
    }

    static Auth opened(String json) {
        return read(Json.form(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static JsonObject json(Auth auth, Function<Secret, String> show) {
        return switch (auth) {
            case Auth.None() -> new JsonObject().put("type", "none");
            case Auth.Hmac(Secret secret, Optional<Secret> previous) ->
                    rotating("hmac", secret, previous, show);
            case Auth.StandardWebhooks(Secret secret, Optional<Secret> previous) ->
                    rotating("standard_webhooks", secret, previous, show);
            case Auth.ApiKey(String header, Secret key) ->
                    new JsonObject()
                            .put("type", "api_key")
                            .put("header", header)
                            .put("key", show.apply(key));
            case Auth.BasicAuth(String username, Secret password) ->
                    new JsonObject()
                            .put("type", "basic_auth")
                            .put("username", username)
                            .put("password", show.apply(password));
        };
    }

    private static JsonObject rotating(
            String type, Secret secret, Optional<Secret> previous, Function<Secret, String> show) {
        var json = new JsonObject().put("type", type).put("secret", show.apply(secret));
        previous.ifPresent(old -> json.put("previous_secret", show.apply(old)));
        return json;
    }
}
