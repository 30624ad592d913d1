package dev.sluice;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.json.FieldReader;

import java.util.Optional;

/// The argument `WORKSPACE` of a command: the id of a workspace.
final class WorkspaceArgument {

    /// Says what is wrong with an argument that [#parse] cannot read.
    static final String WRONG = "WORKSPACE must be the id of a workspace, a UUID.";

    private WorkspaceArgument() {}

    /// Returns the id, or empty if the text is no UUID.
    static Optional<WorkspaceId> parse(String text) {
        try {
            return Optional.of(new WorkspaceId(FieldReader.parseUuid(text)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
