package dev.sluice.features.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/// Tests which workspaces the metrics name.
class TopWorkspacesTest {

    private static UUID workspace(int number) {
        return new UUID(0, number);
    }

    @Test
    void the_twenty_that_hold_the_most_are_named_and_the_rest_is_summed() {
        Map<UUID, Long> held = new HashMap<>();
        for (int i = 1; i <= 25; i++) {
            held.put(workspace(i), (long) i);
        }

        var top = TopWorkspaces.of(held);

        assertThat(top).hasSize(21).containsEntry(TopWorkspaces.OTHERS, 1L + 2 + 3 + 4 + 5);
        assertThat(top.keySet()).startsWith(workspace(25).toString(), workspace(24).toString());
        assertThat(top).doesNotContainKey(workspace(5).toString());
    }

    @Test
    void a_workspace_that_holds_nothing_is_not_named() {
        assertThat(TopWorkspaces.of(Map.of(workspace(1), 0L, workspace(2), 3L)))
                .containsExactly(
                        entry(workspace(2).toString(), 3L), entry(TopWorkspaces.OTHERS, 0L));
    }

    @Test
    void workspaces_that_hold_the_same_have_one_order() {
        assertThat(TopWorkspaces.of(Map.of(workspace(2), 1L, workspace(1), 1L)).keySet())
                .containsExactly(
                        workspace(1).toString(), workspace(2).toString(), TopWorkspaces.OTHERS);
    }
}
