package dev.sluice.platform.http;

import java.util.Optional;

/// The requested page of a paginated list.
///
/// @param number the page number, starting at 1
/// @param limit the maximum number of items on a page, from 1 to 200
public record Page(int number, int limit) {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 200;
    private static final int MAX_PAGE_NUMBER = 10_000_000;

    /// Reads the parameters `page` and `limit`. An invalid value is recorded as an error in
    /// `query`, and the default is used instead.
    public static Page of(QueryParameters query) {
        return new Page(
                query.integer("page", 1, MAX_PAGE_NUMBER).orElse(1),
                query.integer("limit", 1, MAX_LIMIT).orElse(DEFAULT_LIMIT));
    }

    /// Returns the page, or empty when the request has neither parameter. Use this for a list that
    /// is not paginated by default.
    public static Optional<Page> ifRequested(QueryParameters query) {
        return query.has("page") || query.has("limit") ? Optional.of(of(query)) : Optional.empty();
    }

    /// Returns how many items come before this page.
    public long offset() {
        return (long) (number - 1) * limit;
    }
}
