package dev.sluice.gateway.alertconfig;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A channel over which a workspace is told of failures. Immutable.
///
/// @param source the only source whose failures are told; empty for all of the workspace
/// @param lastSentAt when a message was last sent over the channel
/// @param lastError why the last message was not sent; empty if it was
public record AlertConfig(
        UUID id,
        WorkspaceId workspace,
        Optional<SourceId> source,
        AlertChannel channel,
        ChannelSettings settings,
        boolean isEnabled,
        Instant createdAt,
        Instant updatedAt,
        Optional<Instant> lastSentAt,
        Optional<String> lastError) {

    boolean isReadable() {
        return !(settings instanceof ChannelSettings.UnreadableChannel);
    }

    /// Returns the target of the channel. Channels of a workspace to the same mailbox, chat or URL
    /// have the same target.
    public UUID target() {
        return ChannelSettingsJson.target(workspace, channel, settings);
    }

    /// Returns the JSON that the API shows, with a masked token.
    public JsonObject json() {
        var json =
                new JsonObject()
                        .put("id", id)
                        .put("channel", channel.text())
                        .put("config", ChannelSettingsJson.masked(settings))
                        .put("source_id", source)
                        .put("enabled", isEnabled)
                        .put("last_sent_at", lastSentAt)
                        .put("last_error", lastError)
                        .put("created_at", createdAt)
                        .put("updated_at", updatedAt);
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
                createdAt,
                now,
                lastSentAt,
                lastError);
    }
}
