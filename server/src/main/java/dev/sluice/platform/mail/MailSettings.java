package dev.sluice.platform.mail;

/// How the server sends mail.
///
/// @param from the sender's address of each message
public record MailSettings(MailServer server, String from) {}
