/// The HTTP endpoints for workspaces (except deletion), their members and invites, plan changes and
/// the audit log.
@NullMarked
package dev.sluice.account.members;

import org.jspecify.annotations.NullMarked;
