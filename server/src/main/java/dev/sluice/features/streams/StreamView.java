package dev.sluice.features.streams;

import dev.sluice.engine.Payload;
import dev.sluice.engine.RequestPreview;
import dev.sluice.engine.RequestPreview.PreviewedPayload;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterInput;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.Route;
import dev.sluice.history.events.PayloadJson;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// Writes each of a stream's items, which are events and delivery outcomes, as a message. An event
/// is shown as it was received or as a connection would send it. If an event is filtered out, a
/// message with the reason takes its place.
final class StreamView {

    /// The maximum [Effort] for applying one filter to one event; it allows a few milliseconds of
    /// work.
    private static final long MAX_FILTER_EFFORT = 5_000_000;

    private final StreamSelection selection;
    private final ConfigurationCache configuration;
    private final RequestPreview preview;

    StreamView(
            StreamSelection selection, ConfigurationCache configuration, RequestPreview preview) {
        this.selection = selection;
        this.configuration = configuration;
        this.preview = preview;
    }

    /// Adds a message about the item to the frames.
    ///
    /// @param start a cursor within the item's round
    void show(StreamItem item, StreamCursor start, StreamFrames frames) {
        switch (item) {
            case StreamOutcome outcome ->
                    frames.event("delivery", outcome.cursorText(start), Json.bytes(outcome.json()));
            case StreamEvent event -> show(event, start, frames);
        }
    }

    private void show(StreamEvent event, StreamCursor start, StreamFrames frames) {
        // Empty if no connection is selected, or if the selected one has just been deleted. In the
        // second case, `refusal` filters out every event until the stream ends.
        Optional<Route> route = selection.connection().flatMap(configuration::route);
        var refusal = refusal(event, route);
        if (refusal.isPresent()) {
            frames.event(
                    "filtered",
                    event.cursorText(start),
                    Json.bytes(filtered(event, refusal.get())));
        } else if (route.isPresent()) {
            showTransformed(event, route.get(), start, frames);
        } else {
            var message = selection.isFull() ? event.fullMessage(start) : event.tailMessage(start);
            frames.message(message.bytes(), message.isFreshlyBuilt());
        }
    }

    /// Returns the reason why the stream sends the event as `filtered`, or empty if there is none.
    /// This method does not run the connection's transformation; if the transformation fails, the
    /// event is also sent as `filtered`.
    private Optional<String> refusal(StreamEvent event, Optional<Route> route) {
        if (!selection.isChosenByPayload()) {
            return Optional.empty();
        }
        var payload = event.payload();
        if (payload.isEmpty()) {
            return Optional.of("payload_unreadable");
        }
        if (!matches(selection.filter(), payload.get())) {
            return Optional.of("filter");
        }
        if (selection.connection().isPresent() && route.isEmpty()) {
            return Optional.of("connection_deleted");
        }
        return matches(route.flatMap(one -> one.connection().filter()), payload.get())
                ? Optional.empty()
                : Optional.of("connection_filter");
    }

    /// Returns whether the filter lets the event pass. If deciding that takes too much effort, the
    /// event is shown.
    private static boolean matches(Optional<Filter> filter, Payload payload) {
        return filter.isEmpty()
                || filter.get()
                                .evaluate(
                                        FilterInput.of(
                                                payload.headers(),
                                                payload.body(),
                                                Effort.of(MAX_FILTER_EFFORT)))
                        != FilterResult.FILTERED;
    }

    private void showTransformed(
            StreamEvent event, Route route, StreamCursor start, StreamFrames frames) {
        // Never empty, because `refusal` has already filtered out events with a damaged payload.
        var stored = event.payload().orElseThrow();
        switch (preview.preview(route, event.summary().id(), stored)) {
            case PreviewedPayload.FailedTransformation(String reason) ->
                    frames.event(
                            "filtered",
                            event.cursorText(start),
                            Json.bytes(
                                    filtered(event, "transformation_failed")
                                            .put("message", reason + ".")));
            case PreviewedPayload.TransformedPayload(var payload) -> {
                var json = event.json();
                if (selection.isFull()) {
                    json.putAll(PayloadJson.of(payload, Optional.empty()));
                }
                frames.event(StreamEvent.MESSAGE_NAME, event.cursorText(start), Json.bytes(json));
            }
        }
    }

    private static JsonObject filtered(StreamEvent event, String reason) {
        return event.json().put("reason", reason);
    }
}
