package dev.sluice.engine.accept;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.secret.Secret;

import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Answers challenges: requests that a sender makes to check that the owner of a URL expects its
/// webhooks.
///
/// Only verified requests are answered. This class has no state and performs no I/O.
public final class ChallengeResponder {

    /// The maximum size of a body that is parsed as a challenge. Real challenges are smaller, so a
    /// larger body is treated as an event.
    private static final int MAX_BODY_BYTES = 16 * 1024;

    /// The maximum length of a challenge that is echoed in the reply to a POST or a GET request.
    public static final int MAX_CHALLENGE_CHARS = 2048;

    private ChallengeResponder() {}

    /// Returns the reply if the request was verified and is a challenge, or empty otherwise.
    public static Optional<Reply> answer(
            VerificationConfig config, VerificationResult result, byte[] body) {
        if (!(result instanceof VerificationResult.VerificationPassed(Optional<Secret> secret))
                || !hasChallenge(config)
                || body.length > MAX_BODY_BYTES) {
            return Optional.empty();
        }
        try {
            var input = Json.payloadReader(body);
            return switch (config) {
                case VerificationConfig.DiscordVerification _ -> discord(input);
                case VerificationConfig.ProviderVerification(
                                WebhookProvider provider,
                                Secret _,
                                Optional<Secret> _,
                                String _) ->
                        provider == WebhookProvider.SLACK
                                ? slack(input)
                                : secret.flatMap(key -> zoom(input, key));
                default -> Optional.empty();
            };
        } catch (MalformedJsonException e) {
            return Optional.empty(); // not a challenge; Slack commands, for example, are forms
        }
    }

    /// Returns whether the body of a verified request is a challenge to a source with this
    /// configuration.
    public static boolean isChallenge(VerificationConfig config, byte[] body) {
        var anySecret = new Secret("any"); // the secret affects only the reply
        var passed = new VerificationResult.VerificationPassed(Optional.of(anySecret));
        return answer(config, passed, body).isPresent();
    }

    private static boolean hasChallenge(VerificationConfig config) {
        return config instanceof VerificationConfig.DiscordVerification
                || (config instanceof VerificationConfig.ProviderVerification convention
                        && (convention.provider() == WebhookProvider.SLACK
                                || convention.provider() == WebhookProvider.ZOOM));
    }

    /// Echoes Slack's challenge (Slack documentation, `url_verification`).
    private static Optional<Reply> slack(FieldReader input) {
        return text(input, "type")
                .filter("url_verification"::equals)
                .flatMap(_ -> text(input, "challenge"))
                .map(challenge -> Reply.text(200, "text/plain; charset=utf-8", challenge));
    }

    /// Proves to Zoom that the source has the secret (Zoom documentation, "Validate your webhook
    /// endpoint"). Zoom repeats the challenge every 72 hours.
    private static Optional<Reply> zoom(FieldReader input, Secret secret) {
        return text(input, "event")
                .filter("endpoint.url_validation"::equals)
                .flatMap(_ -> input.nested("payload").toOptional())
                .flatMap(payload -> text(payload, "plainToken"))
                .map(token ->
                        Reply.ok(
                                new JsonObject()
                                        .put("plainToken", token)
                                        .put("encryptedToken", hmac(secret, token))));
    }

    /// Answers Discord's pings (Discord documentation). An interaction of type 1 is a ping and
    /// expects a pong. A webhook event of type 0 is a ping and expects 204. A webhook event of type
    /// 1 is not a ping; unlike an interaction, it has the field `event`.
    private static Optional<Reply> discord(FieldReader input) {
        var type = input.longInteger("type").toOptional();
        if (type.isEmpty() || input.nested("event").toOptional().isPresent()) {
            return Optional.empty();
        }
        return switch (type.get().toString()) {
            case "0" -> Optional.of(Reply.noContent());
            case "1" -> Optional.of(Reply.ok(new JsonObject().put("type", 1)));
            default -> Optional.empty();
        };
    }

    private static Optional<String> text(FieldReader input, String field) {
        return input.text(field, 1, MAX_CHALLENGE_CHARS).toOptional();
    }

    private static String hmac(Secret secret, String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.reveal().getBytes(UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }
}
