package dev.sluice.account.audit;

import java.util.UUID;

/// What was changed.
///
/// @param fields the names of changed fields, separated by commas
record AuditedChange(String action, UUID target, String name, String fields) {}
