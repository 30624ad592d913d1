/// The HTTP endpoints for workspaces (except deletion and plan changes), their members and invites,
/// and the audit log.
@NullMarked
package dev.sluice.account.members;

import org.jspecify.annotations.NullMarked;
