package dev.sluice.account.workspace;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// An invitation for one e-mail address to join a workspace. It does not contain the token; the
/// database stores only the token's hash.
///
/// @param email in the form that `Account.normalizedEmail` returns
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
