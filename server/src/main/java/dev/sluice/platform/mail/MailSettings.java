package dev.sluice.platform.mail;

/// The settings for sending mail.
///
/// @param from the address that messages are sent from
public record MailSettings(MailServer server, String from) {}
