package dev.sluice.account.workspace;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// An invitation of one e-mail address to a workspace. It does not contain the token, of which the
/// database stores only a hash.
///
/// @param email in the form of `Account.normalizedEmail`
/// @param role the role that the person will have: `admin` or `member`
public record Invite(
        UUID id,
        WorkspaceId workspace,
        String email,
        Role role,
        Instant createdAt,
        Instant expiresAt) {

    /// How long an invite can be accepted.
    public static final Duration LIFETIME = Duration.ofDays(7);
}
