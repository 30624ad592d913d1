package dev.sluice.account.changes;

import java.util.UUID;

/// A change, as described by an audit log entry.
///
/// @param fields the names of the fields that the request set, separated by commas
record AuditedChange(String action, UUID target, String name, String fields) {}
