package dev.sluice.observe;

import dev.sluice.platform.http.Reply;
import dev.sluice.platform.json.JsonObject;

import java.util.List;

/// The HTTP reply to a search: one page of results and their total.
public final class SearchReply {

    private SearchReply() {}

    /// @param total the number of results on all pages
    /// @param isExact false if only the newest rows were scanned; the reply then contains
    ///   `total_is_exact: false`
    public static Reply of(List<JsonObject> items, long total, boolean isExact) {
        var json = JsonObject.items(items).put("total", total);
        return Reply.ok(isExact ? json : json.put("total_is_exact", false));
    }
}
