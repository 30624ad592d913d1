package dev.sluice.relay.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.relay.deadletters.DismissalRoutes.DismissalCount;
import dev.sluice.relay.deadletters.DismissalRoutes.DismissalScope;
import dev.sluice.relay.deadletters.DismissalStore.DismissalChunk;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Tests how many chunks a request runs. `ResolvedDeadLettersTest` tests what a chunk does.
class DismissalRoutesTest {

    private static final Duration LONG = Duration.ofDays(1);

    private static DismissalScope sources(int count) {
        Map<SourceId, List<UUID>> connections = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            connections.put(Some.sourceId(), List.of(Some.id()));
        }
        return new DismissalScope(connections, IdRange.ALL);
    }

    @Test
    void without_time_only_the_first_source_is_checked_though_it_has_nothing_left() {
        var checked = new ArrayList<SourceId>();

        var count =
                DismissalRoutes.runChunks(
                        sources(3),
                        Duration.ZERO,
                        (source, _, _) -> {
                            checked.add(source);
                            return new DismissalChunk(0, Optional.empty());
                        });

        assertThat(count).isEqualTo(new DismissalCount(0, false));
        assertThat(checked).hasSize(1);
    }

    @Test
    void without_time_a_source_with_more_rows_than_a_chunk_is_not_complete() {
        var count =
                DismissalRoutes.runChunks(
                        sources(1),
                        Duration.ZERO,
                        (_, _, ids) -> new DismissalChunk(2, Optional.of(ids.low())));

        assertThat(count).isEqualTo(new DismissalCount(2, false));
    }

    @Test
    void with_time_each_source_is_checked_until_nothing_is_left() {
        var checked = new ArrayList<SourceId>();

        var count =
                DismissalRoutes.runChunks(
                        sources(3),
                        LONG,
                        (source, _, ids) -> {
                            checked.add(source);
                            return ids.low().equals(IdRange.ALL.low())
                                    ? new DismissalChunk(5, Optional.of(ids.low()))
                                    : new DismissalChunk(0, Optional.empty());
                        });

        assertThat(count).isEqualTo(new DismissalCount(15, true));
        assertThat(checked).hasSize(6);
    }
}
