package dev.sluice.history.counts;

import dev.sluice.platform.id.IdRange;

import java.util.List;
import java.util.UUID;

/// A range of ids in which one source may have matching rows.
///
/// @param hasOnlyWanted whether all rows in the range are known to match; if so, a query needs no
///   further condition
public record SourceWindow(UUID source, IdRange ids, boolean hasOnlyWanted) {

    /// Returns the parts of these windows that are in the range.
    static List<SourceWindow> within(IdRange range, List<SourceWindow> windows) {
        return windows.stream()
                .map(window ->
                        new SourceWindow(
                                window.source(),
                                window.ids().intersect(range),
                                window.hasOnlyWanted()))
                .filter(window -> !window.ids().isEmpty())
                .toList();
    }
}
