package dev.sluice.gateway.alertconfig;

import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.secret.Secret;

/// The mailbox, chat or URL to which a channel sends alerts. Immutable.
public sealed interface ChannelSettings {

    /// @param to one e-mail address, without a display name
    record EmailChannel(String to) implements ChannelSettings {}

    /// A chat in a messenger, in which a bot posts the alerts.
    ///
    /// @param token the bot's token
    /// @param chatId the numeric id of a chat, or `@` followed by the name of a channel in the
    ///   messenger
    /// @param name the messenger's name as the user wrote it: `messenger` or `telegram`
    record MessengerChannel(Secret token, String chatId, String name) implements ChannelSettings {}

    record WebhookChannel(DestinationUrl url) implements ChannelSettings {}

    /// Stored settings that this node cannot read: they were encrypted with another key, a later
    /// version wrote them, or the current rules refuse them.
    record UnreadableChannel() implements ChannelSettings {}
}
