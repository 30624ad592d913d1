package dev.sluice.gateway.source;

import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.InvalidFields;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJson;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The JSON forms of [VerificationConfig]: as users send it, as they see it, and as it is sealed.
final class VerificationJson {

    private static final int MOST_SECRET = 500;
    private static final int DEFAULT_TOLERANCE = 300;

    /// A week, in seconds: what is older is a replay, whatever the sender.
    private static final int MOST_TOLERANCE = 7 * 24 * 3600;

    private static final String STANDARD_PREFIX = "whsec_";

    private static final Map<String, Provider> CONVENTIONS =
            Arrays.stream(Provider.values())
                    .collect(
                            Collectors.toMap(
                                    Provider::text,
                                    Function.identity(),
                                    (one, _) -> one,
                                    TreeMap::new));

    private VerificationJson() {}

    /// Reads `verification_config`; what is wrong is noted in the form, and reads as something that
    /// must not be used.
    static VerificationConfig read(Form form) {
        String provider = form.required("provider", form.text("provider", 1, 50)).or("");
        var config =
                switch (provider) {
                    case "none" -> new VerificationConfig.None();
                    case "generic_hmac" -> genericHmac(form);
                    case "basic_auth" ->
                            new VerificationConfig.BasicAuth(
                                    username(form), secret(form, "password"));
                    case "api_key" ->
                            new VerificationConfig.ApiKey(
                                    form.required("header", header(form, "header")).or(""),
                                    key(form, "key"));
                    case "discord" -> new VerificationConfig.Discord(publicKey(form));
                    default ->
                            Optional.ofNullable(CONVENTIONS.get(provider))
                                    .map(known -> convention(form, known))
                                    .orElseGet(() -> unknown(form, provider));
                };
        if (!provider.isEmpty()) {
            form.nothingElse();
        }
        return config;
    }

    private static VerificationConfig unknown(Form form, String provider) {
        if (!provider.isEmpty()) {
            form.complain(
                    "provider",
                    "must be one of none, "
                            + String.join(", ", CONVENTIONS.keySet())
                            + ", discord, generic_hmac, basic_auth, api_key.");
        }
        return new VerificationConfig.Unreadable();
    }

    private static VerificationConfig convention(Form form, Provider provider) {
        var secret = key(form, "secret");
        var previous = previous(form);
        if (provider == Provider.STANDARD_WEBHOOKS && secret.reveal().equals(STANDARD_PREFIX)) {
            form.complain("secret", "has nothing after " + STANDARD_PREFIX + ".");
        }
        return new VerificationConfig.Convention(provider, secret, previous);
    }

    private static VerificationConfig genericHmac(Form form) {
        var timestampHeader = header(form, "timestamp_header").toOptional();
        var signed = form.oneOf("signed_content", SignedContent.BY_TEXT).toOptional();
        if (timestampHeader.isEmpty() && signed.equals(Optional.of(SignedContent.TIMESTAMP_BODY))) {
            form.complain(
                    "signed_content",
                    "can be timestamp.body only where timestamp_header names a header.");
        }
        return new VerificationConfig.GenericHmac(
                key(form, "secret"),
                previous(form),
                form.required("header", header(form, "header")).or(""),
                form.required(
                                "algorithm",
                                form.oneOf("algorithm", VerificationConfig.Algorithm.BY_TEXT))
                        .or(VerificationConfig.Algorithm.SHA256),
                form.required(
                                "encoding",
                                form.oneOf("encoding", VerificationConfig.Encoding.BY_TEXT))
                        .or(VerificationConfig.Encoding.HEX),
                timestampHeader,
                Duration.ofSeconds(
                        form.integer("tolerance_secs", 1, MOST_TOLERANCE).or(DEFAULT_TOLERANCE)),
                signed);
    }

    private static Secret secret(Form form, String field) {
        return new Secret(form.required(field, secretText(form, field)).or(""));
    }

    /// A secret that senders show or hand out: a space at its end came with the clipboard.
    private static Secret key(Form form, String field) {
        var key = secret(form, field);
        refuseStray(form, field, key.reveal());
        return key;
    }

    private static void refuseStray(Form form, String field, String text) {
        if (text.chars().anyMatch(Character::isISOControl) || !text.equals(text.strip())) {
            form.complain(
                    field, "must not contain control characters, nor begin or end with a space.");
        }
    }

    private static Optional<Secret> previous(Form form) {
        var previous = secretText(form, "previous_secret").toOptional();
        previous.ifPresent(text -> refuseStray(form, "previous_secret", text));
        return previous.map(Secret::new);
    }

    private static Patch<String> secretText(Form form, String field) {
        var text = form.text(field, 1, MOST_SECRET);
        text.toOptional()
                .filter(Secret.MASK::equals)
                .ifPresent(_ ->
                        form.complain(
                                field,
                                "is masked: re-enter the secret, or leave verification_config out"
                                        + " to keep it."));
        return text;
    }

    private static Patch<String> header(Form form, String field) {
        var header = form.text(field, 1, 200);
        header.toOptional()
                .ifPresent(name -> {
                    if (!HeaderSyntax.isName(name)) {
                        form.complain(field, "must be a header name (letters, digits and -).");
                    } else if (HeaderSyntax.isReserved(name)) {
                        form.complain(field, "must not be " + name + ": the connection needs it.");
                    } else if (name.equalsIgnoreCase("Content-Type")) {
                        form.complain(field, "must not be Content-Type: events show it.");
                    }
                });
        return header;
    }

    private static String username(Form form) {
        String name = form.required("username", form.text("username", 1, 200)).or("");
        if (name.contains(":")) {
            form.complain("username", "must not contain a colon (RFC 7617).");
        }
        return name;
    }

    private static String publicKey(Form form) {
        var key = form.required("public_key", form.text("public_key", 1, MOST_SECRET));
        key.toOptional()
                .filter(text -> !text.matches("[0-9a-fA-F]{64}"))
                .ifPresent(_ ->
                        form.complain(
                                "public_key",
                                "must be the application's public key: 64 hexadecimal digits."));
        return key.or("");
    }

    static JsonObject masked(VerificationConfig config) {
        return json(config, _ -> Secret.MASK);
    }

    /// With the real secrets, for sealing only.
    static String revealed(VerificationConfig config) {
        return Json.text(json(config, Secret::reveal));
    }

    /// What this version cannot read is [VerificationConfig.Unreadable], never nothing.
    static VerificationConfig opened(String json) {
        try {
            var form = Json.form(json.getBytes(StandardCharsets.UTF_8));
            var config = read(form);
            form.check();
            return config;
        } catch (MalformedJson | InvalidFields e) {
            return new VerificationConfig.Unreadable();
        }
    }

    private static JsonObject json(VerificationConfig config, Function<Secret, String> show) {
        return switch (config) {
            case VerificationConfig.None() -> provider("none");
            case VerificationConfig.Unreadable() -> provider("unreadable");
            case VerificationConfig.Convention(var provider, var secret, var previous) ->
                    secrets(provider(provider.text()), secret, previous, show);
            case VerificationConfig.GenericHmac hmac -> json(hmac, show);
            case VerificationConfig.Discord(String publicKey) ->
                    provider("discord").put("public_key", publicKey);
            case VerificationConfig.BasicAuth(String username, Secret password) ->
                    provider("basic_auth")
                            .put("username", username)
                            .put("password", show.apply(password));
            case VerificationConfig.ApiKey(String header, Secret key) ->
                    provider("api_key").put("header", header).put("key", show.apply(key));
        };
    }

    private static JsonObject json(
            VerificationConfig.GenericHmac hmac, Function<Secret, String> show) {
        var json =
                secrets(provider("generic_hmac"), hmac.secret(), hmac.previousSecret(), show)
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

    private static JsonObject secrets(
            JsonObject json,
            Secret secret,
            Optional<Secret> previous,
            Function<Secret, String> show) {
        json.put("secret", show.apply(secret));
        previous.ifPresent(old -> json.put("previous_secret", show.apply(old)));
        return json;
    }
}
