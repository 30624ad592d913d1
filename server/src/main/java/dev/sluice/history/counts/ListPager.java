package dev.sluice.history.counts;

import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.history.ResultPage;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFieldsException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reads one page of a list that is sorted newest first.
///
/// @param locator finds rows in the list
/// @param range a range that contains the ids of all rows in the list
/// @param idOf returns the id by which a row is sorted
public record ListPager<T>(
        PageLocator locator, IdRange range, ListPage page, Function<T, UUID> idOf) {

    /// The time limit for reading a page by its number.
    static final Duration PAGE_TIME_BUDGET = Duration.ofSeconds(2);

    /// The number of rows that may be skipped before a page without a time limit, which takes two
    /// statements to set.
    private static final int MAX_UNTIMED_ROWS = 500;

    /// The rows that one step of a scan found.
    ///
    /// @param matches the matching rows, newest first
    /// @param last the id of the last row that the step scanned, or empty if no older rows are left
    public record ScanStep<T>(List<T> matches, Optional<UUID> last) {}

    /// Returns the page of a list whose total is known from the usage counts.
    ///
    /// @param rows reads the rows at a location, newest first, with one statement of `tx`
    /// @throws InvalidFieldsException if so many rows come before the page that skipping them takes
    ///   longer than [#PAGE_TIME_BUDGET]
    public ResultPage<T> counted(Tx tx, Function<PageLocator.PageLocation, List<T>> rows) {
        long total = locator.total();
        int wanted = page.limit() + 1; // one extra row shows whether there is another page
        List<T> found;
        if (page.cursor().isPresent()) {
            found = rows.apply(locator.locateBefore(before(), wanted));
        } else if (page.offset() < total) {
            var location = locator.locate(page.offset(), wanted);
            found =
                    location.offset() <= MAX_UNTIMED_ROWS
                            ? rows.apply(location)
                            : withinBudget(tx, PAGE_TIME_BUDGET, () -> rows.apply(location));
        } else {
            found = List.of();
        }
        var shown = found.stream().limit(page.limit()).toList();
        return new ResultPage<>(
                shown,
                total,
                true,
                found.size() > shown.size()
                        ? Optional.of(after(shown.getLast(), page.seen() + page.limit()))
                        : Optional.empty());
    }

    /// Runs the statement that reads a page, unless it takes longer than `budget`.
    static <T> T withinBudget(Tx tx, Duration budget, Supplier<T> read) {
        tx.update("set local statement_timeout = " + budget.toMillis());
        T found;
        try {
            found = read.get();
        } catch (DbException e) {
            if (e.isCanceled()) {
                throw new InvalidFieldsException(
                        List.of(
                                new FieldError(
                                        "page",
                                        "page is too far down the list to be read in time. Read the"
                                                + " list with cursor, which takes the next_cursor"
                                                + " of the page before.")));
            }
            throw e;
        }
        tx.update("set local statement_timeout = default");
        return found;
    }

    /// Returns the page of a list whose rows must be scanned. If the time budget is used up before
    /// the scan reaches the end, the total is not exact and the page may have fewer rows than
    /// requested. Unless the scan found more rows than this page shows, the next page continues
    /// where the scan stopped.
    public ResultPage<T> scanned(
            Duration budget, Function<PageLocator.PageLocation, ScanStep<T>> scan) {
        var matches = new ArrayList<T>();
        var stopped =
                BudgetedScan.scan(
                        locator,
                        before(),
                        budget,
                        location -> {
                            var step = scan.apply(location);
                            matches.addAll(step.matches());
                            return step.last();
                        });
        long earlier = page.cursor().map(PageCursor::seen).orElse(0L);
        long end = page.offset() + page.limit();
        var shown = matches.stream().skip(page.offset()).limit(page.limit()).toList();
        var next =
                matches.size() > end
                        ? Optional.of(after(shown.getLast(), earlier + end))
                        : stopped.map(id -> new PageCursor(id, earlier + matches.size()));
        return new ResultPage<>(shown, earlier + matches.size(), stopped.isEmpty(), next);
    }

    private UUID before() {
        return page.cursor()
                .map(cursor -> Uuid7.min(cursor.before(), range.high()))
                .orElse(range.high());
    }

    private PageCursor after(T row, long seen) {
        return new PageCursor(idOf.apply(row), seen);
    }
}
