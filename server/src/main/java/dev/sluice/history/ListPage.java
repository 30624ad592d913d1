package dev.sluice.history;

import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;

import java.util.Optional;

/// The part of a list that a request asks for: either the page with a given number, or the page
/// after a cursor.
///
/// @param cursor the cursor that the request sent; if there is one, the page's number is 1
/// @param list a string that identifies the list and its filter; a cursor is valid only with the
///   same string
public record ListPage(Page page, Optional<PageCursor> cursor, String list) {

    /// Reads `page`, `limit` and `cursor`. Invalid values are recorded as errors in `query`.
    ///
    /// @param query the request's parameters. The caller must already have read the filter's
    ///   parameters from it, because only parameters that have been read become part of `list`
    /// @param name the name of the list, including the id of the resource that the list belongs to
    public static ListPage of(QueryParameters query, String name) {
        String list = name + query.values();
        return new ListPage(Page.of(query), cursor(query, list), list);
    }

    /// Returns the page with this number in a list that does not support cursors.
    public static ListPage numbered(Page page) {
        return new ListPage(page, Optional.empty(), "");
    }

    private static Optional<PageCursor> cursor(QueryParameters query, String list) {
        var sent = query.parsed("cursor", ListPage::parse);
        if (sent.isPresent() && query.has("page")) {
            query.addError("cursor", "cannot be combined with page.");
        } else if (sent.isPresent() && !sent.get().isOf(list)) {
            query.addError(
                    "cursor",
                    "must be a next_cursor of this list, sent with the parameters of the request"
                            + " that returned it.");
        }
        return sent.map(PageCursor.SentCursor::cursor);
    }

    private static PageCursor.SentCursor parse(String text) {
        try {
            return PageCursor.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be the next_cursor of an earlier answer.", e);
        }
    }

    public int limit() {
        return page.limit();
    }

    /// Returns how many items to skip before the page, counted from the cursor if there is one.
    public long offset() {
        return page.offset();
    }

    /// Returns how many items come before the page, counted from the beginning of the list.
    public long seen() {
        return cursor.map(PageCursor::seen).orElse(page.offset());
    }
}
