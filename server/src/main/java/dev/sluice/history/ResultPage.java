package dev.sluice.history;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The rows on one page of a list.
///
/// @param total the number of rows on all pages
/// @param isExact false if `total` covers only the rows that could be scanned within the time
///   budget
/// @param next where the next page begins; empty if this is the last page
public record ResultPage<T>(List<T> rows, long total, boolean isExact, Optional<PageCursor> next) {

    public ResultPage(List<T> rows, long total, boolean isExact, Optional<PageCursor> next) {
        this.rows = List.copyOf(rows);
        this.total = total;
        this.isExact = isExact;
        this.next = next;
    }

    public static <T> ResultPage<T> empty() {
        return new ResultPage<>(List.of(), 0, true, Optional.empty());
    }

    /// Returns a copy of this page whose rows are the result of applying `change` to the current
    /// rows.
    public <R> ResultPage<R> with(Function<List<T>, List<R>> change) {
        return new ResultPage<>(change.apply(rows), total, isExact, next);
    }
}
