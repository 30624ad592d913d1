package dev.sluice.observe.alerts;

import java.util.UUID;

/// A message that is to be sent over a channel. A message that is sent again after a crash is
/// exactly the same, with the same id.
///
/// @param subject on one line
/// @param details the same as JSON, for programs
record AlertMessage(UUID id, String subject, String text, String details) {}
