package dev.sluice.features.alerts;

import java.util.UUID;

/// An alert message that is to be sent over a channel. If the message is sent again, for example
/// after a crash, its id and content stay the same.
///
/// @param subject a single line
/// @param details the content as JSON, for webhooks
record AlertMessage(UUID id, String subject, String text, String details) {}
