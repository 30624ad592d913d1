package dev.sluice.platform.http;

import java.util.Optional;

/// Which part of a list is asked for. What is wrong is noted in the query.
///
/// @param number 1-based
/// @param limit of items, 1 to 200
public record Page(int number, int limit) {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MOST = 200;
    private static final int LAST = 10_000_000;

    public static Page of(Query query) {
        return new Page(
                query.whole("page", 1, LAST).orElse(1),
                query.whole("limit", 1, MOST).orElse(DEFAULT_LIMIT));
    }

    /// The page of a list that is whole by default: empty unless the request asks for one.
    public static Optional<Page> asked(Query query) {
        return query.has("page") || query.has("limit") ? Optional.of(of(query)) : Optional.empty();
    }

    /// How many items stand before this page.
    public long offset() {
        return (long) (number - 1) * limit;
    }
}
