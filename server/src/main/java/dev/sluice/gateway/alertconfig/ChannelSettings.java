package dev.sluice.gateway.alertconfig;

import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.secret.Secret;

/// Where a channel sends alerts. Immutable.
public sealed interface ChannelSettings {

    /// @param to one plain address
    record EmailChannel(String to) implements ChannelSettings {}

    /// A chat of the messenger, written to by a bot.
    ///
    /// @param chatId the number of a chat, or `@` and the name of a channel
    record MessengerChannel(Secret token, String chatId) implements ChannelSettings {}

    record WebhookChannel(DestinationUrl url) implements ChannelSettings {}

    /// A stored config that this node cannot read, because it was encrypted with another key or
    /// written by a later version.
    record UnreadableChannel() implements ChannelSettings {}
}
