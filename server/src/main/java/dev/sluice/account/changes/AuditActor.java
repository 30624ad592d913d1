package dev.sluice.account.changes;

import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// The person, API key or operator who made a change.
///
/// @param id the id of the account or API key; empty for the operator
public record AuditActor(ActorKind kind, Optional<UUID> id) {

    public enum ActorKind {
        USER,
        KEY,
        OPERATOR;

        /// Returns the kind as it appears in JSON and in the database, such as `user`.
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static AuditActor user(UUID account) {
        return new AuditActor(ActorKind.USER, Optional.of(account));
    }

    public static AuditActor key(UUID key) {
        return new AuditActor(ActorKind.KEY, Optional.of(key));
    }

    /// Returns the operator of the server, who makes changes with `sluice` commands.
    public static AuditActor operator() {
        return new AuditActor(ActorKind.OPERATOR, Optional.empty());
    }
}
