package dev.sluice.account.workspace;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// The operator has suspended a workspace: it takes no webhooks, sends nothing, and its members
/// cannot use it. Nothing is lost.
///
/// @param reason what the operator tells the members; may be empty
public record Suspension(Instant since, String reason) {

    /// Returns the suspension in the columns `suspended_at` and `suspension_reason` of a workspace,
    /// or empty if it is not suspended.
    public static Optional<Suspension> read(Row workspace) throws SQLException {
        var since = workspace.instantOrNone("suspended_at");
        return since.isPresent()
                ? Optional.of(new Suspension(since.get(), workspace.text("suspension_reason")))
                : Optional.empty();
    }

    /// Returns a sentence for the workspace's members.
    public String message() {
        return "The operator of this server has suspended the workspace"
                + (reason.isEmpty() ? "." : ": " + reason);
    }

    JsonObject json() {
        return new JsonObject().put("since", since).put("reason", reason);
    }
}
