package dev.sluice.platform.mail;

/// The settings for sending mail.
///
/// @param from the sender's address of each message
public record MailSettings(MailServer server, String from) {}
