package dev.sluice.account.workspace;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// An invitation for one e-mail address to join a workspace. The token for accepting it is shown
/// only once; the database stores the token's hash.
///
/// @param email in the form that `Account.normalizedEmail` returns
/// @param role the role that the person will have: `admin` or `member`
/// @param createdBy the account of the inviter. The invite works only while the inviter may still
///   give the role.
public record Invite(
        UUID id,
        WorkspaceId workspace,
        String email,
        Role role,
        UUID createdBy,
        Instant createdAt,
        Instant expiresAt) {

    /// How long an invite stays valid.
    public static final Duration LIFETIME = Duration.ofDays(7);
}
