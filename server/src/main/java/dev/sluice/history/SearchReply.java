package dev.sluice.history;

import dev.sluice.platform.http.Reply;
import dev.sluice.platform.json.JsonObject;

/// Creates the HTTP reply to a search: one page of results, the total number of results, and where
/// the next page begins.
public final class SearchReply {

    private SearchReply() {}

    /// Returns the reply. It contains `total_is_exact: false` if only some rows were scanned.
    public static Reply of(ResultPage<JsonObject> result, ListPage page) {
        var json = JsonObject.items(result.rows()).put("total", result.total());
        if (!result.isExact()) {
            json.put("total_is_exact", false);
        }
        return Reply.ok(
                json.put("next_cursor", result.next().map(cursor -> cursor.text(page.list()))));
    }
}
