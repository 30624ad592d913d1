package dev.sluice.gateway.alertconfig;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.CredentialFields;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.JsonValue;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.mail.MailMessage;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.Sha256;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Converts [ChannelSettings] to and from JSON. There are three JSON forms: the one that users
/// send, the one that the API shows, and the one that is encrypted for storage.
final class ChannelSettingsJson {

    /// The format of a bot's token. The token becomes part of a URL's path, so it must not contain
    /// characters that are special in a path.
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9:_-]{1,128}");

    private static final Pattern CHAT_ID = Pattern.compile("-?[0-9]{1,19}|@[A-Za-z0-9_]{1,64}");

    /// The stored field with the channel's name as the user wrote it, if that is not the usual one.
    private static final String NAME = "channel";

    private ChannelSettingsJson() {}

    /// Reads `config`. If fields are invalid, errors are recorded in `input`, and the caller must
    /// not use the result.
    ///
    /// @param url parses the URL of a webhook
    /// @param name the channel's name as the user wrote it
    /// @param known the current settings, if there are any; their token is kept if `input` has none
    static ChannelSettings read(
            FieldReader input,
            AlertChannel channel,
            String name,
            Function<String, DestinationUrl> url,
            Optional<ChannelSettings> known) {
        ChannelSettings settings =
                switch (channel) {
                    case EMAIL ->
                            new ChannelSettings.EmailChannel(
                                    input.required(
                                                    "to",
                                                    input.parsed("to", MailMessage::requireAddress))
                                            .orElse(""));
                    case MESSENGER ->
                            new ChannelSettings.MessengerChannel(
                                    token(input, known), chatId(input).orElse(""), name);
                    case WEBHOOK -> webhook(input, url);
                };
        input.rejectUnknownFields();
        return settings;
    }

    private static Secret token(FieldReader input, Optional<ChannelSettings> known) {
        if (!input.has("token")
                && known.orElse(null) instanceof ChannelSettings.MessengerChannel before) {
            return before.token();
        }
        var token =
                new CredentialFields(input, "config", CustomHeaderRules.FOR_STORED_ROWS)
                        .secret("token");
        boolean isRefused = token.reveal().isEmpty() || token.reveal().equals(Secret.MASK);
        if (!isRefused && !TOKEN.matcher(token.reveal()).matches()) {
            input.addError(
                    "token",
                    "must have 1 to 128 characters, only A-Z a-z 0-9 : _ -, as the bot's"
                            + " own token has.");
        }
        return token;
    }

    /// Reads the chat's id, which may be a JSON number or a string.
    private static Patch<String> chatId(FieldReader input) {
        boolean isNumber =
                input.rawValue("chat_id")
                        .filter(value -> value.type() == JsonValue.JsonType.NUMBER)
                        .isPresent();
        if (isNumber) {
            return input.required("chat_id", input.longInteger("chat_id").map(String::valueOf));
        }
        return input.required(
                "chat_id",
                input.parsed(
                        "chat_id",
                        text -> {
                            if (!isChatId(text)) {
                                throw new IllegalArgumentException(
                                        "must be the number of a chat, or @ and the name of a"
                                                + " channel.");
                            }
                            return text;
                        }));
    }

    private static boolean isChatId(String text) {
        if (!CHAT_ID.matcher(text).matches()) {
            return false;
        }
        // A 19-digit number may be too large for a long.
        return text.startsWith("@") || new BigInteger(text).bitLength() < Long.SIZE;
    }

    private static ChannelSettings webhook(
            FieldReader input, Function<String, DestinationUrl> url) {
        var parsed = input.required("url", input.parsed("url", url));
        return parsed.toOptional()
                .<ChannelSettings>map(ChannelSettings.WebhookChannel::new)
                .orElseGet(ChannelSettings.UnreadableChannel::new);
    }

    static JsonObject masked(ChannelSettings settings) {
        return json(settings, _ -> Secret.MASK);
    }

    /// Returns the JSON text with the unmasked token. Use this only to encrypt the text.
    static String revealed(ChannelSettings settings) {
        var json = json(settings, Secret::reveal);
        if (settings instanceof ChannelSettings.MessengerChannel messenger
                && !messenger.name().equals(AlertChannel.MESSENGER.text())) {
            json.put(NAME, messenger.name());
        }
        return Json.text(json);
    }

    /// Parses decrypted settings. Returns [ChannelSettings.UnreadableChannel] if they are not
    /// valid.
    static ChannelSettings parseUnsealed(AlertChannel channel, String json) {
        try {
            var input = Json.fieldReader(json.getBytes(StandardCharsets.UTF_8));
            String name = input.text(NAME, 1, 20).orElse(channel.text());
            var settings =
                    read(input, channel, name, DestinationUrl::parseStored, Optional.empty());
            input.check();
            return settings;
        } catch (MalformedJsonException | InvalidFieldsException e) {
            return new ChannelSettings.UnreadableChannel();
        }
    }

    private static JsonObject json(ChannelSettings settings, Function<Secret, String> show) {
        return switch (settings) {
            case ChannelSettings.EmailChannel(String to) -> new JsonObject().put("to", to);
            case ChannelSettings.MessengerChannel(Secret token, String chatId, String _) ->
                    new JsonObject().put("token", show.apply(token)).put("chat_id", chatId);
            case ChannelSettings.WebhookChannel(DestinationUrl url) ->
                    new JsonObject().put("url", url);
            case ChannelSettings.UnreadableChannel() -> new JsonObject();
        };
    }

    /// Returns the id of a target: a hash of the workspace, the kind of channel, and the place to
    /// which the channel sends. The place is the mailbox, the URL, or the bot's token and the chat.
    static UUID target(WorkspaceId workspace, AlertChannel channel, ChannelSettings settings) {
        String where =
                switch (settings) {
                    case ChannelSettings.EmailChannel(String to) -> to.toLowerCase(Locale.ROOT);
                    case ChannelSettings.MessengerChannel(Secret token, String chatId, String _) ->
                            token.reveal() + "\n" + chatId;
                    case ChannelSettings.WebhookChannel(DestinationUrl url) -> url.text();
                    case ChannelSettings.UnreadableChannel() -> "";
                };
        return hashId(workspace + "\n" + channel.text() + "\n" + where);
    }

    /// Returns an id for the mailbox, computed from the address alone. Addresses that differ only
    /// in case, or only in a tag between `+` and `@`, count as one mailbox. Returns empty if the
    /// channel sends no mail.
    static Optional<UUID> mailbox(ChannelSettings settings) {
        return settings instanceof ChannelSettings.EmailChannel(String to)
                ? Optional.of(hashId("mailbox\n" + withoutTag(to.toLowerCase(Locale.ROOT))))
                : Optional.empty();
    }

    private static String withoutTag(String address) {
        int at = address.lastIndexOf('@');
        int plus = address.indexOf('+');
        return plus > 0 && plus < at ? address.substring(0, plus) + address.substring(at) : address;
    }

    private static UUID hashId(String text) {
        var hash = ByteBuffer.wrap(Sha256.hash(text));
        return new UUID(hash.getLong(), hash.getLong());
    }
}
