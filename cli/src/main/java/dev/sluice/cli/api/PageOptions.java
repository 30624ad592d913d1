package dev.sluice.cli.api;

import dev.sluice.cli.server.QueryString;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.util.Optional;

/// The options of every list: the page's number and size.
public final class PageOptions {

    @Option(names = "--page", paramLabel = "N", description = "The page, from 1.")
    private @Nullable Integer page;

    @Option(names = "--limit", paramLabel = "N", description = "Items on a page, up to 200.")
    private @Nullable Integer limit;

    public int page() {
        return page == null ? 1 : page;
    }

    public QueryString addTo(QueryString query) {
        return query.with("page", Optional.ofNullable(page).map(String::valueOf))
                .with("limit", Optional.ofNullable(limit).map(String::valueOf));
    }
}
