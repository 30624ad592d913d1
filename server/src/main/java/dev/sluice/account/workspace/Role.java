package dev.sluice.account.workspace;

import java.util.Locale;

/// A person's role in a workspace, which determines what the person may do there. Each role
/// includes the roles listed before it.
public enum Role {
    MEMBER,
    ADMIN,
    OWNER;

    /// Returns the role as it appears in JSON and in the database, such as `owner`.
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// @throws IllegalArgumentException if no role has this text
    public static Role parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /// Whether a person with this role may invite others who then have the role `given`.
    public boolean mayInvite(Role given) {
        return includes(ADMIN) && includes(given);
    }
}
