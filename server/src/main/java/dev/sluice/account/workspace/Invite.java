package dev.sluice.account.workspace;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// An invitation of one e-mail address to a workspace. Its token, which only the invited person
/// gets, is not part of it.
///
/// @param email in the form in which accounts have it
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
