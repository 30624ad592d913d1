package dev.sluice.gateway.alertconfig;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ChangeTime;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.EntityTag;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Secret;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A channel over which a workspace is notified of failures. Immutable.
///
/// @param source the source whose failures are reported; empty to report the failures of all the
///   workspace's sources
public record AlertConfig(
        UUID id,
        WorkspaceId workspace,
        Optional<SourceId> source,
        AlertChannel channel,
        ChannelSettings settings,
        boolean isEnabled,
        ChangeTimes times,
        SendingState sending) {

    /// When the settings were created, and when they were last changed.
    public record ChangeTimes(Instant createdAt, Instant updatedAt) {}

    /// The outcome of the most recent messages to the channel's target.
    ///
    /// @param lastSentAt when the last message was sent, even if the target has changed since;
    ///   empty if none has been sent since the channel was created
    /// @param lastError why the last message was not sent; empty if it was sent, or if there has
    ///   been no message to this target yet
    /// @param confirmedAt when the mailbox of an e-mail channel was confirmed; empty if it gets no
    ///   alerts yet
    public record SendingState(
            Optional<Instant> lastSentAt,
            Optional<String> lastError,
            Optional<Instant> confirmedAt) {

        static final SendingState NOTHING_SENT =
                new SendingState(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// Returns the mailbox, chat or URL to which the channel sends. Returns an empty string if the
    /// settings cannot be read.
    String address() {
        return switch (settings) {
            case ChannelSettings.EmailChannel(String to) -> to;
            case ChannelSettings.MessengerChannel(Secret _, String chatId, String _) -> chatId;
            case ChannelSettings.WebhookChannel(DestinationUrl url) -> url.toString();
            case ChannelSettings.UnreadableChannel() -> "";
        };
    }

    /// Returns the name of the channel as the user wrote it, if that can be read.
    String channelName() {
        return settings instanceof ChannelSettings.MessengerChannel messenger
                ? messenger.name()
                : channel.text();
    }

    boolean isReadable() {
        return !(settings instanceof ChannelSettings.UnreadableChannel);
    }

    /// Returns the id of the channel's target. Two channels of a workspace have the same target if
    /// they send to the same mailbox, to the same URL, or to the same chat with the same bot.
    ///
    /// If the settings cannot be read, the id is not that of the real target; see
    /// [AlertConfigStore#storedTarget].
    public UUID target() {
        return ChannelSettingsJson.target(workspace, channel, settings);
    }

    /// Returns an id for the mailbox that the channel sends to. The id is the same in every
    /// workspace. Returns empty if the channel sends no mail.
    public Optional<UUID> mailbox() {
        return ChannelSettingsJson.mailbox(settings);
    }

    /// Returns the entity tag of the settings. Sending a message does not change the tag.
    EntityTag tag() {
        return EntityTag.of(times.updatedAt());
    }

    /// Returns the JSON that the API shows, with the bot's token masked.
    public JsonObject json() {
        var json =
                new JsonObject()
                        .put("id", id)
                        .put("channel", channelName())
                        .put("config", ChannelSettingsJson.masked(settings))
                        .put("source_id", source)
                        .put("enabled", isEnabled)
                        .put("last_sent_at", sending.lastSentAt())
                        .put("last_error", sending.lastError())
                        .put("created_at", times.createdAt())
                        .put("updated_at", times.updatedAt());
        if (channel == AlertChannel.EMAIL) {
            json.put("confirmed_at", sending.confirmedAt());
        }
        return isReadable() ? json : json.put("unreadable_fields", List.of("config"));
    }

    AlertConfig with(ChannelSettings changed, boolean enabled, Instant now) {
        return new AlertConfig(
                id,
                workspace,
                source,
                channel,
                changed,
                enabled,
                new ChangeTimes(times.createdAt(), ChangeTime.next(times.updatedAt(), now)),
                sending);
    }
}
