package dev.sluice.cli.stream;

import dev.sluice.cli.api.UrlPath;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Uses the API to read the events that arrived while a stream was disconnected. Only events from
/// the sources that the stream shows are included.
final class StoredEvents {

    private static final String PAGE_SIZE = "100";

    /// The maximum number of sources whose events are counted. Counting takes one request per
    /// source.
    private static final int MAX_COUNTED_SOURCES = 5;

    private final ServerClient client;
    private final StreamSources sources;
    private final boolean isFull;

    /// @param isFull whether events are read with their headers and body
    StoredEvents(ServerClient client, StreamSources sources, boolean isFull) {
        this.client = client;
        this.sources = sources;
        this.isFull = isFull;
    }

    /// Returns the events that arrived at this time or later, oldest first. They have no headers or
    /// body; [#whole] reads those.
    ///
    /// @param time a time in the server's format
    /// @throws CommandException if the request to the server fails
    List<StoredEvent> since(String time) {
        var found = new ArrayList<StoredEvent>();
        for (var source : sources.filter()) {
            Optional<String> cursor = Optional.empty();
            do {
                var page = page(source, time, PAGE_SIZE, cursor);
                page.path("items").valueStream().map(StoredEvent::read).forEach(found::add);
                cursor =
                        Optional.of(page.path("next_cursor").asString(""))
                                .filter(c -> !c.isEmpty());
            } while (cursor.isPresent());
        }
        // Ids increase over time, so sorting by id gives the order of arrival.
        found.sort((one, other) -> one.id().compareTo(other.id()));
        return found;
    }

    /// Returns the number of events that arrived after the event received at `time`. Returns empty
    /// if counting would take more than five requests.
    ///
    /// @throws CommandException if a request to the server fails
    OptionalLong countSince(String time) {
        if (sources.filter().size() > MAX_COUNTED_SOURCES) {
            return OptionalLong.empty();
        }
        long total = 0;
        for (var source : sources.filter()) {
            total += page(source, time, "1", Optional.empty()).path("total").asLong();
        }
        return OptionalLong.of(Math.max(0, total - 1));
    }

    private JsonNode page(
            Optional<String> source, String time, String limit, Optional<String> cursor) {
        var query =
                new QueryString()
                        .with("received_after", time)
                        .with("limit", limit)
                        .with("source_id", source)
                        .with("cursor", cursor);
        return client.get(query.after("events")).json();
    }

    /// Returns the event with its headers and body if the stream includes them; otherwise returns
    /// it unchanged. Returns empty if the event has been deleted in the meantime.
    Optional<StoredEvent> whole(StoredEvent listed) {
        if (!isFull) {
            return Optional.of(listed);
        }
        try {
            var event = client.get("events/" + UrlPath.segment(listed.id())).json();
            return Optional.of(StoredEvent.read(event));
        } catch (CommandException e) {
            if (e.exitCode() == ExitCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
