package dev.sluice.features.metrics;

import static java.util.Comparator.comparingLong;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// Chooses the workspaces that hold the most of a resource, so that the number of label values
/// stays small however many workspaces there are.
final class TopWorkspaces {

    static final int MAX_WORKSPACES = 20;

    /// The label value for all workspaces that are not named.
    static final String OTHERS = "others";

    private TopWorkspaces() {}

    /// Returns the holdings of the workspaces that hold the most, the largest first, and last the
    /// sum of what all others hold, which is 0 if there are none.
    static Map<String, Long> of(Map<UUID, Long> byWorkspace) {
        var ordered =
                byWorkspace.entrySet().stream()
                        .filter(entry -> entry.getValue() > 0)
                        .sorted(
                                comparingLong((Map.Entry<UUID, Long> entry) -> -entry.getValue())
                                        .thenComparing(entry -> entry.getKey().toString()))
                        .toList();
        Map<String, Long> top = new LinkedHashMap<>();
        long others = 0;
        for (var entry : ordered) {
            if (top.size() < MAX_WORKSPACES) {
                top.put(entry.getKey().toString(), entry.getValue());
            } else {
                others += entry.getValue();
            }
        }
        top.put(OTHERS, others);
        return top;
    }
}
