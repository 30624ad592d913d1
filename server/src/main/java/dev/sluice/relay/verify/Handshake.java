package dev.sluice.relay.verify;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.source.Provider;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJson;
import dev.sluice.platform.secret.Secret;

import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The questions that senders post to a new URL to see who is there, and the answers they want.
/// Only asked of requests that were verified.
public final class Handshake {

    /// No sender's question comes near; an ordinary event may, and is then not read for nothing.
    private static final int MOST_BODY_BYTES = 16 * 1024;

    private static final int MOST_CHALLENGE = 2048;

    private Handshake() {}

    /// The answer, when the request is such a question.
    public static Optional<Reply> answer(VerificationConfig config, Finding finding, byte[] body) {
        if (!(finding instanceof Finding.Verified(Optional<Secret> secret))
                || !mayAsk(config)
                || body.length > MOST_BODY_BYTES) {
            return Optional.empty();
        }
        try {
            var form = Json.form(body);
            return switch (config) {
                case VerificationConfig.Discord _ -> discord(form);
                case VerificationConfig.Convention(
                                Provider provider,
                                Secret _,
                                Optional<Secret> _) ->
                        provider == Provider.SLACK
                                ? slack(form)
                                : secret.flatMap(key -> zoom(form, key));
                default -> Optional.empty();
            };
        } catch (MalformedJson e) {
            return Optional.empty(); // Slack's commands are forms, for one
        }
    }

    private static boolean mayAsk(VerificationConfig config) {
        return config instanceof VerificationConfig.Discord
                || (config instanceof VerificationConfig.Convention convention
                        && (convention.provider() == Provider.SLACK
                                || convention.provider() == Provider.ZOOM));
    }

    /// Slack documentation, `url_verification`.
    private static Optional<Reply> slack(Form form) {
        return text(form, "type")
                .filter("url_verification"::equals)
                .flatMap(_ -> text(form, "challenge"))
                .map(challenge -> Reply.text(200, "text/plain; charset=utf-8", challenge));
    }

    /// Zoom documentation, "Validate your webhook endpoint". Asked again every 72 hours.
    private static Optional<Reply> zoom(Form form, Secret secret) {
        return text(form, "event")
                .filter("endpoint.url_validation"::equals)
                .flatMap(_ -> form.form("payload").toOptional())
                .flatMap(payload -> text(payload, "plainToken"))
                .map(token ->
                        Reply.ok(
                                new JsonObject()
                                        .put("plainToken", token)
                                        .put("encryptedToken", hmac(secret, token))));
    }

    /// Discord documentation: an interaction of type 1 is a ping and wants a pong; so is a webhook
    /// event of type 0, which wants 204. A webhook event of type 1 is none: it has an `event`.
    private static Optional<Reply> discord(Form form) {
        var type = form.whole("type").toOptional();
        if (type.isEmpty() || form.form("event").toOptional().isPresent()) {
            return Optional.empty();
        }
        return switch (type.get().toString()) {
            case "0" -> Optional.of(Reply.noContent());
            case "1" -> Optional.of(Reply.ok(new JsonObject().put("type", 1)));
            default -> Optional.empty();
        };
    }

    private static Optional<String> text(Form form, String field) {
        return form.text(field, 1, MOST_CHALLENGE).toOptional();
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
