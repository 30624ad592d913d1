package dev.sluice.account.access;

import dev.sluice.account.workspace.WorkspaceId;

/// Who is asking: so far always an API key, which acts as a member of its workspace.
public record Caller(WorkspaceId workspace) {}
