package dev.sluice.cli.api;

import dev.sluice.cli.server.QueryString;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.Optional;

/// The options for paged lists: the page number, and the number of items per page.
public final class PageOptions {

    /// The server's page size when the request does not specify one.
    private static final int DEFAULT_LIMIT = 50;

    @Option(names = "--page", paramLabel = "N", description = "The page, from 1.")
    private @Nullable Integer page;

    @Option(names = "--limit", paramLabel = "N", description = "Items on a page, up to 200.")
    private @Nullable Integer limit;

    public int page() {
        return page == null ? 1 : page;
    }

    /// Returns the number of items on the pages before this one.
    long itemsBefore() {
        return (page() - 1L) * (limit == null ? DEFAULT_LIMIT : limit);
    }

    public QueryString addTo(QueryString query) {
        return query.with("page", Optional.ofNullable(page).map(String::valueOf))
                .with("limit", Optional.ofNullable(limit).map(String::valueOf));
    }
}
