package dev.sluice.gateway;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

import java.util.Optional;
import java.util.function.Function;

/// Reads the secrets, user names and header names in an object such as `auth_config` or
/// `verification_config`.
///
/// If a field is invalid, the methods record an error in `input`, and the caller must ignore the
/// value they return.
///
/// @param config the name of the object that contains the fields
public record CredentialFields(FieldReader input, String config, CustomHeaderRules headerRules) {

    public static final int MAX_SECRET_LENGTH = 500;
    private static final int MAX_USERNAME_LENGTH = 200;

    /// Reads a required secret. Records an error if the value is [Secret#MASK], which the API shows
    /// instead of secrets.
    public Secret secret(String field) {
        return new Secret(input.required(field, secretText(field)).orElse(""));
    }

    /// Reads a required secret that users paste or that is sent as a header value. Like [#secret],
    /// but also records an error if the secret contains control characters, or begins or ends with
    /// a space.
    public Secret pastedSecret(String field) {
        var secret = secret(field);
        checkPastedText(field, secret.reveal());
        return secret;
    }

    /// Reads the required `secret` that deliveries are signed with. Like [#pastedSecret], but
    /// accepts control characters and surrounding spaces in stored rows, because some rows were
    /// saved before such secrets were refused.
    public Secret signingSecret() {
        return headerRules.isForStoredRows() ? secret("secret") : pastedSecret("secret");
    }

    /// Reads `previous_secret`, with the same checks as [#signingSecret].
    public Optional<Secret> previousSigningSecret() {
        return headerRules.isForStoredRows() ? previousSecret() : previousPastedSecret();
    }

    private Optional<Secret> previousSecret() {
        return secretText("previous_secret").toOptional().map(Secret::new);
    }

    /// Reads `previous_secret`, with the same checks as [#pastedSecret].
    public Optional<Secret> previousPastedSecret() {
        var previous = previousSecret();
        previous.ifPresent(secret -> checkPastedText("previous_secret", secret.reveal()));
        return previous;
    }

    /// Records an error for each Standard Webhooks secret that cannot be saved. A stored secret
    /// only needs to contain a key.
    public void requireStandardWebhooksKeys(Secret secret, Optional<Secret> previous) {
        requireStandardWebhooksKey("secret", secret);
        previous.ifPresent(older -> requireStandardWebhooksKey("previous_secret", older));
    }

    private void requireStandardWebhooksKey(String field, Secret secret) {
        boolean isAlreadyRefused = secret.reveal().isEmpty() || secret.reveal().equals(Secret.MASK);
        var given = new StandardWebhooksSecret(secret);
        if (!isAlreadyRefused && (!headerRules.isForStoredRows() || given.isEmpty())) {
            given.error().ifPresent(message -> input.addError(field, message));
        }
    }

    private Patch<String> secretText(String field) {
        var text = input.visibleText(field, 1, MAX_SECRET_LENGTH);
        text.toOptional()
                .filter(Secret.MASK::equals)
                .ifPresent(_ ->
                        input.addError(
                                field,
                                "is masked: re-enter the secret, or leave "
                                        + config
                                        + " out to keep it."));
        return text;
    }

    /// Records an error if the text contains control characters, or begins or ends with a space.
    /// Both are typical copy-and-paste mistakes.
    private void checkPastedText(String field, String text) {
        if (text.chars().anyMatch(Character::isISOControl) || !text.equals(text.strip())) {
            input.addError(
                    field, "must not contain control characters, nor begin or end with a space.");
        }
    }

    /// Reads the required user name for HTTP basic authentication.
    public String username() {
        String name =
                input.required("username", input.visibleText("username", 1, MAX_USERNAME_LENGTH))
                        .orElse("");
        if (name.contains(":")) {
            input.addError("username", "must not contain a colon (RFC 7617).");
        }
        refuseControlCharacters("username", name);
        return name;
    }

    /// Reads the required password for HTTP basic authentication.
    public Secret password() {
        var password = secret("password");
        refuseControlCharacters("password", password.reveal());
        return password;
    }

    /// Records an error if the text contains control characters. Stored rows are not checked,
    /// because some were saved before control characters were refused.
    private void refuseControlCharacters(String field, String text) {
        if (!headerRules.isForStoredRows() && text.chars().anyMatch(Character::isISOControl)) {
            input.addError(field, "must not contain control characters (RFC 7617).");
        }
    }

    /// Reads the name that the user chose for the header that carries a credential.
    public Patch<String> headerName(String field) {
        return headerName(field, headerRules::nameError);
    }

    /// Reads the name of the header in which a sender sends a signature or a timestamp. See
    /// [CustomHeaderRules#signingNameError] for the names that are allowed.
    public Patch<String> signingHeaderName(String field) {
        return headerName(field, headerRules::signingNameError);
    }

    private Patch<String> headerName(String field, Function<String, Optional<String>> error) {
        var name = input.text(field, 1, CustomHeaderRules.MAX_NAME_LENGTH);
        name.toOptional().flatMap(error).ifPresent(message -> input.addError(field, message));
        return name;
    }

    /// Adds `secret` to `json`, and `previous_secret` if there is a previous secret. Each secret is
    /// converted to text by `show`. Returns `json`.
    public static JsonObject putSecrets(
            JsonObject json,
            Secret secret,
            Optional<Secret> previous,
            Function<Secret, String> show) {
        json.put("secret", show.apply(secret));
        previous.ifPresent(old -> json.put("previous_secret", show.apply(old)));
        return json;
    }
}
