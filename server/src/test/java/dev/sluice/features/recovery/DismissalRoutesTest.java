package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.features.recovery.DismissalRoutes.DismissalProgress;
import dev.sluice.features.recovery.DismissalRoutes.DismissalScope;
import dev.sluice.features.recovery.DismissalStore.DismissalChunk;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Tests how many chunks a request runs. `ResolvedDeadLettersTest` tests what a chunk does.
class DismissalRoutesTest {

    private static final Duration LONG = Duration.ofDays(1);

    private static final UUID LAST = Uuid7.floor(Some.NOON);

    private static final UUID AFTER_LAST = IdRange.closed(LAST, LAST).high();

    private static DismissalScope sources(int count) {
        Map<SourceId, List<UUID>> connections = new LinkedHashMap<>();
        Stream.generate(Some::sourceId)
                .limit(count)
                .sorted(Comparator.comparing(SourceId::value, Uuid7.UNSIGNED_ORDER))
                .forEach(source -> connections.put(source, List.of(Some.id())));
        return new DismissalScope(connections, IdRange.ALL, Some.NOON);
    }

    @Test
    void without_time_only_the_first_source_is_checked_though_it_has_nothing_left() {
        var scope = sources(3);
        var checked = new ArrayList<SourceId>();

        var progress =
                DismissalRoutes.runChunks(
                        scope,
                        Optional.empty(),
                        Duration.ZERO,
                        (source, _, _) -> {
                            checked.add(source);
                            return new DismissalChunk(0, Optional.empty());
                        });

        var second = List.copyOf(scope.connections().keySet()).get(1);
        assertThat(progress).isEqualTo(stoppedAt(0, second, IdRange.ALL.low()));
        assertThat(checked).hasSize(1);
    }

    @Test
    void without_time_a_source_with_more_rows_than_a_chunk_is_not_complete() {
        var scope = sources(1);

        var progress =
                DismissalRoutes.runChunks(
                        scope,
                        Optional.empty(),
                        Duration.ZERO,
                        (_, _, _) -> new DismissalChunk(2, Optional.of(LAST)));

        var only = scope.connections().keySet().iterator().next();
        assertThat(progress).isEqualTo(stoppedAt(2, only, AFTER_LAST));
    }

    @Test
    void with_time_each_source_is_checked_until_nothing_is_left() {
        var checked = new ArrayList<SourceId>();

        var progress =
                DismissalRoutes.runChunks(
                        sources(3),
                        Optional.empty(),
                        LONG,
                        (source, _, ids) -> {
                            checked.add(source);
                            return ids.low().equals(IdRange.ALL.low())
                                    ? new DismissalChunk(5, Optional.of(ids.low()))
                                    : new DismissalChunk(0, Optional.empty());
                        });

        assertThat(progress).isEqualTo(new DismissalProgress(15, Optional.empty()));
        assertThat(checked).hasSize(6);
    }

    @Test
    void requests_without_time_for_more_than_a_chunk_get_to_the_end_by_their_cursors() {
        record CheckedChunk(SourceId source, UUID low) {}
        var scope = sources(3);
        var checked = new ArrayList<CheckedChunk>();
        var cursor = Optional.<DismissalCursor>empty();
        do {
            cursor =
                    DismissalRoutes.runChunks(
                                    scope,
                                    cursor,
                                    Duration.ZERO,
                                    (source, _, ids) -> {
                                        checked.add(new CheckedChunk(source, ids.low()));
                                        return ids.low().equals(AFTER_LAST)
                                                ? new DismissalChunk(0, Optional.empty())
                                                : new DismissalChunk(0, Optional.of(LAST));
                                    })
                            .rest();
        } while (cursor.isPresent());

        assertThat(checked)
                .containsExactlyElementsOf(
                        scope.connections().keySet().stream()
                                .flatMap(source ->
                                        Stream.of(IdRange.ALL.low(), AFTER_LAST)
                                                .map(id -> new CheckedChunk(source, id)))
                                .toList());
    }

    @Test
    void the_sources_before_a_cursor_are_done_although_its_own_is_gone() {
        var scope = sources(3);
        var sources = List.copyOf(scope.connections().keySet());
        scope.connections().remove(sources.get(1));
        var checked = new ArrayList<SourceId>();

        DismissalRoutes.runChunks(
                scope,
                Optional.of(new DismissalCursor(sources.get(1), LAST, Some.NOON)),
                LONG,
                (source, _, _) -> {
                    checked.add(source);
                    return new DismissalChunk(0, Optional.empty());
                });

        assertThat(checked).containsExactly(sources.get(2));
    }

    private static DismissalProgress stoppedAt(int changed, SourceId source, UUID from) {
        return new DismissalProgress(
                changed, Optional.of(new DismissalCursor(source, from, Some.NOON)));
    }
}
