package dev.sluice.platform.meter;

import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/// How much of one resource each workspace holds now, for the metrics.
///
/// A room that shares a resource between workspaces returns one of these, and an assembly adds it
/// to its list of `workspaceGauges`. The metrics show the workspaces that hold the most.
///
/// @param name the metric's name, which begins with `sluice_workspace_`
/// @param help one sentence that says what is counted
/// @param byWorkspace returns what each workspace holds, by its id; workspaces that hold nothing
///   may be left out. Called on each request for the metrics, so it must be quick and must not wait
///   for the database
public record WorkspaceGauge(String name, String help, Supplier<Map<UUID, Long>> byWorkspace) {

    public WorkspaceGauge {
        if (!name.startsWith("sluice_workspace_")) {
            throw new IllegalArgumentException("not the name of a gauge of workspaces: " + name);
        }
    }
}
