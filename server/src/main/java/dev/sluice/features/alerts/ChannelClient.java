package dev.sluice.features.alerts;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.JsonPoster;
import dev.sluice.engine.Outcome;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.gateway.alertconfig.ChannelSettings;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.mail.MailException;
import dev.sluice.platform.mail.MailMessage;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.secret.Secret;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Sends alert messages over channels: by email, messenger or webhook. Thread-safe.
public final class ChannelClient {

    /// The result of sending a message.
    sealed interface SendResult {

        record MessageSent() implements SendResult {}

        /// @param reason one sentence, shown to the workspace's users; contains no secret
        /// @param isTemporary whether to try the same message again later
        /// @param retryAfter how long to wait before the next try, as requested by the channel; at
        ///   most six hours, or zero if the channel requests no wait
        record MessageRefused(String reason, boolean isTemporary, Duration retryAfter)
                implements SendResult {}
    }

    private static final Logger log = LoggerFactory.getLogger(ChannelClient.class);

    /// The result when sending an email fails for any reason other than a refused recipient, such
    /// as a wrong password for the mail server. The log contains the details. The message is tried
    /// again, because the operator may fix the problem in the meantime.
    private static final SendResult.MessageRefused MAIL_FAILED =
            new SendResult.MessageRefused(
                    "The mail server of this installation did not take the message.",
                    true,
                    Duration.ZERO);

    private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(10);

    /// The maximum length of a text sent to the messenger, which itself accepts up to 4096
    /// characters.
    private static final int MAX_MESSENGER_LENGTH = 4_000;

    private static final int MAX_REASON_LENGTH = 300;
    private static final int MAX_RETRY_SECONDS = 6 * 60 * 60;

    private final Optional<MailSender> mail;
    private final JsonPoster webhooks;
    private final JsonPoster messenger;
    private final String messengerApiUrl;

    /// @param mail empty if the operator has configured no mail server
    /// @param webhooks sends to webhooks; must refuse private addresses unless the operator allows
    ///   them
    /// @param messenger sends to the messenger's API
    /// @param messengerApiUrl the base URL of the bot API, without a trailing slash
    public ChannelClient(
            Optional<MailSender> mail,
            JsonPoster webhooks,
            JsonPoster messenger,
            String messengerApiUrl) {
        this.mail = mail;
        this.webhooks = webhooks;
        this.messenger = messenger;
        this.messengerApiUrl = messengerApiUrl;
    }

    SendResult send(AlertConfig config, AlertMessage message) {
        return switch (config.settings()) {
            case ChannelSettings.EmailChannel(String to) -> sendMail(to, message);
            case ChannelSettings.MessengerChannel(Secret token, String chatId, String _) ->
                    sendToMessenger(config.workspace(), token, chatId, message);
            case ChannelSettings.WebhookChannel(DestinationUrl url) ->
                    result(
                            "webhook",
                            webhooks.post(
                                    config.workspace(),
                                    url,
                                    message.details().getBytes(StandardCharsets.UTF_8),
                                    HTTP_TIMEOUT),
                            UnaryOperator.identity());
            case ChannelSettings.UnreadableChannel() ->
                    refused("This server cannot read the channel's config. Enter it again.");
        };
    }

    private SendResult sendMail(String to, AlertMessage message) {
        if (mail.isEmpty()) {
            return refused(
                    "Mail is not configured; the operator of this server can set"
                            + " SLUICE_SMTP_URL.");
        }
        try {
            mail.get()
                    .send(
                            new MailMessage(
                                    to,
                                    message.subject(),
                                    message.text(),
                                    Optional.of(message.id())));
            return new SendResult.MessageSent();
        } catch (MailException e) {
            log.atWarn()
                    .addKeyValue("message_id", message.id())
                    .addKeyValue("reason", String.valueOf(e.getMessage()))
                    .log("alert.mail_refused");
            return e.recipientRefusal()
                    .map(reply ->
                            new SendResult.MessageRefused(
                                    shortReason("The mail server refused the address: " + reply),
                                    e.isTemporary(),
                                    Duration.ZERO))
                    .orElse(MAIL_FAILED);
        }
    }

    private SendResult sendToMessenger(
            WorkspaceId workspace, Secret token, String chatId, AlertMessage message) {
        var url =
                DestinationUrl.parseStored(
                        messengerApiUrl + "/bot" + token.reveal() + "/sendMessage");
        String text = message.subject() + "\n\n" + message.text();
        var json =
                new JsonObject()
                        .put("chat_id", chatId.startsWith("@") ? chatId : Long.valueOf(chatId))
                        .put("text", shortened(text))
                        .put("link_preview_options", new JsonObject().put("is_disabled", true));
        // The response may quote the request's path, which contains the token.
        return result(
                "messenger",
                messenger.post(workspace, url, Json.bytes(json), HTTP_TIMEOUT),
                reason -> reason.replace(token.reveal(), Secret.MASK));
    }

    private static String shortReason(String reason) {
        String line = MailMessage.oneLine(reason, MAX_REASON_LENGTH);
        return line.endsWith(".") || line.endsWith("…") ? line : line + ".";
    }

    private static String shortened(String text) {
        return text.codePointCount(0, text.length()) <= MAX_MESSENGER_LENGTH
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_MESSENGER_LENGTH)) + "…";
    }

    private static SendResult refused(String reason) {
        return new SendResult.MessageRefused(reason, false, Duration.ZERO);
    }

    /// @param mask removes secrets; applied to the whole reason, before it is shortened
    private static SendResult result(String channel, Outcome outcome, UnaryOperator<String> mask) {
        return switch (outcome) {
            case Outcome.DestinationResponse(int status, String body, _, var retryAfter, _) -> {
                if (status / 100 == 2) {
                    yield new SendResult.MessageSent();
                }
                var answer = ChannelAnswer.parse(body);
                String reason =
                        "The "
                                + channel
                                + " answered "
                                + status
                                + answer.description().map(text -> ": " + text).orElse("")
                                + "."
                                + answer.newChat()
                                        .map(id ->
                                                " The chat has a new id. Enter "
                                                        + id
                                                        + " as chat_id.")
                                        .orElse("");
                yield new SendResult.MessageRefused(
                        MailMessage.oneLine(mask.apply(reason), MAX_REASON_LENGTH),
                        status == 408 || status == 429 || status >= 500,
                        capped(retryAfter.or(answer::retryAfter).orElse(Duration.ZERO)));
            }
            case Outcome.AttemptError(_, String detail, _) ->
                    new SendResult.MessageRefused(
                            MailMessage.oneLine(
                                    mask.apply(
                                            "The "
                                                    + channel
                                                    + " could not be reached: "
                                                    + detail
                                                    + "."),
                                    MAX_REASON_LENGTH),
                            true,
                            Duration.ZERO);
        };
    }

    private static Duration capped(Duration wait) {
        var max = Duration.ofSeconds(MAX_RETRY_SECONDS);
        return wait.compareTo(max) > 0 ? max : wait;
    }

    /// The fields that the body of a refusal may have, as defined by the messenger's API.
    ///
    /// @param newChat the chat's new id, if the chat no longer has the configured one
    private record ChannelAnswer(
            Optional<String> description, Optional<Duration> retryAfter, Optional<Long> newChat) {

        private static final ChannelAnswer NONE =
                new ChannelAnswer(Optional.empty(), Optional.empty(), Optional.empty());

        static ChannelAnswer parse(String body) {
            try {
                FieldReader answer = Json.fieldReader(body.getBytes(StandardCharsets.UTF_8));
                var parameters = answer.nested("parameters").toOptional();
                return new ChannelAnswer(
                        answer.text("description", 1, MAX_REASON_LENGTH).toOptional(),
                        parameters
                                .flatMap(fields ->
                                        fields.integer("retry_after", 1, Integer.MAX_VALUE)
                                                .toOptional())
                                .map(Duration::ofSeconds),
                        parameters.flatMap(
                                fields -> fields.longInteger("migrate_to_chat_id").toOptional()));
            } catch (MalformedJsonException e) {
                return NONE;
            }
        }
    }
}
