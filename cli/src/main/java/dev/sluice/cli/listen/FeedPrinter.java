package dev.sluice.cli.listen;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.ForwardResult;
import dev.sluice.cli.forward.ForwardResult.Answered;
import dev.sluice.cli.forward.ForwardResult.Unanswered;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;
import dev.sluice.cli.stream.FilteredEvent;
import dev.sluice.cli.stream.StreamChoice;
import dev.sluice.cli.stream.StreamSources;

import tools.jackson.databind.node.ObjectNode;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/// Prints what a stream brings: lines for people, or one JSON object a line for programs.
final class FeedPrinter {

    private static final int SCHEMA = 1;
    private static final int EXCERPT_LENGTH = 120;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    private final CommandContext context;
    private final StreamSources sources;
    private final boolean hasPayload;
    private int received;
    private int forwarded;
    private int failed;
    private int filtered;
    private int gaps;

    /// @param hasPayload whether headers and body are printed too
    FeedPrinter(CommandContext context, StreamSources sources, boolean hasPayload) {
        this.context = context;
        this.sources = sources;
        this.hasPayload = hasPayload;
    }

    /// @param target where events go; empty when they are only shown
    void ready(String server, StreamChoice choice, Optional<String> target) {
        var shown = choice.sources().chosen();
        var json = line("ready").put("server", server);
        var list = json.putArray("sources");
        for (var source : shown) {
            list.add(
                    JsonTree.object()
                            .put("id", source.id())
                            .put("name", source.name())
                            .put("url", server + source.path()));
        }
        target.ifPresent(given -> json.put("forward_to", given));
        choice.connection().ifPresent(id -> json.put("connection_id", id));
        choice.filter().ifPresent(rules -> json.set("filter", rules));
        print(json);
        if (!isJson()) {
            for (var source : shown) {
                context.shell().note("  %s  %s%s".formatted(source.name(), server, source.path()));
            }
            choice.connection().ifPresent(id -> note("  as connection " + id + " sends them"));
            choice.filter().ifPresent(rules -> note("  that match " + JsonTree.write(rules)));
            context.shell()
                    .note(
                            "Ready. %d sources%s   (Ctrl-C to stop)"
                                    .formatted(
                                            shown.size(),
                                            target.map(given -> " -> " + given).orElse("")));
        }
    }

    void resumed() {
        print(line("resumed"));
        note("live again");
    }

    void reconnecting(int attempt, Duration delay, String reason) {
        print(
                line("reconnecting")
                        .put("attempt", attempt)
                        .put("delay_ms", delay.toMillis())
                        .put("reason", reason));
        note(
                "reconnecting (attempt %d, next try in %.1f s): %s"
                        .formatted(attempt, delay.toMillis() / 1000.0, reason));
    }

    void gap(String reason) {
        gaps++;
        print(line("gap").put("reason", reason));
        note("events may be missing: " + reason);
    }

    void warning(String message) {
        print(line("warning").put("message", message));
        note("Warning: " + message);
    }

    /// An event came. People read of it with its result, or at once when it is only shown.
    void event(StoredEvent event, boolean isShownOnly) {
        received();
        var json =
                line("event")
                        .put("id", event.id())
                        .put("source_id", event.sourceId())
                        .put("source", sources.name(event.sourceId()))
                        .put("method", event.method())
                        .put("content_type", event.contentType())
                        .put("body_size", event.bodySize())
                        .put("received_at", event.receivedAt());
        if (hasPayload) {
            event.copyPayload(json);
        }
        print(json);
        if (isShownOnly) {
            show(event, "");
        }
    }

    /// Counts an event that came, also one that is kept back.
    void received() {
        received++;
    }

    void filtered(FilteredEvent dropped) {
        filtered++;
        var event = dropped.event();
        print(
                line("filtered")
                        .put("event_id", event.id())
                        .put("source_id", event.sourceId())
                        .put("source", sources.name(event.sourceId()))
                        .put("reason", dropped.reason())
                        .put("message", dropped.message()));
        show(event, "--  filtered: " + dropped.message());
    }

    void result(StoredEvent event, String target, ForwardResult result) {
        if (result.isSuccess()) {
            forwarded++;
        } else {
            failed++;
        }
        var json =
                line("response")
                        .put("event_id", event.id())
                        .put("target", target)
                        .put("latency_ms", result.latency().toMillis());
        switch (result) {
            case Answered answered -> {
                json.put("status", answered.status());
                show(
                        event,
                        "->  %d  %d ms%s"
                                .formatted(
                                        answered.status(),
                                        result.latency().toMillis(),
                                        excerpt(answered)));
            }
            case Unanswered unanswered -> {
                json.put("error", unanswered.problem());
                show(event, "->  ERR  " + unanswered.problem());
            }
        }
        print(json);
    }

    private static String excerpt(Answered answered) {
        String text = answered.excerpt();
        return answered.isSuccess() || text.isBlank()
                ? ""
                : "  " + text.substring(0, Math.min(EXCERPT_LENGTH, text.length()));
    }

    void summary() {
        print(
                line("summary")
                        .put("received", received)
                        .put("forwarded", forwarded)
                        .put("failed", failed)
                        .put("filtered", filtered)
                        .put("gaps", gaps));
        note(
                "Summary: %d received, %d forwarded, %d failed, %d filtered, %d gaps"
                        .formatted(received, forwarded, failed, filtered, gaps));
    }

    int failures() {
        return failed;
    }

    /// Whether nobody reads the output any more.
    boolean isBroken() {
        return context.shell().out().checkError();
    }

    private void show(StoredEvent event, String end) {
        if (context.output() != OutputFormat.PRETTY) {
            return;
        }
        var out = context.shell().out();
        out.println(
                SafeText.line(
                                "%s  %s  %-6s  %s  %d B  %s  %s"
                                        .formatted(
                                                time(event.receivedAt()),
                                                sources.name(event.sourceId()),
                                                event.method(),
                                                event.contentType().isEmpty()
                                                        ? "-"
                                                        : event.contentType(),
                                                event.bodySize(),
                                                event.id(),
                                                end))
                        .stripTrailing());
        if (hasPayload) {
            event.headers()
                    .forEach(header ->
                            out.println(
                                    SafeText.line("    " + header.name() + ": " + header.value())));
            event.text().lines().forEach(line -> out.println(SafeText.line("    " + line)));
        }
    }

    private static String time(String text) {
        try {
            return TIME.format(Instant.parse(text));
        } catch (DateTimeException e) {
            return text;
        }
    }

    private static ObjectNode line(String type) {
        return JsonTree.object().put("schema", SCHEMA).put("type", type);
    }

    private void print(ObjectNode json) {
        if (isJson()) {
            context.shell().out().println(JsonTree.write(json));
            context.shell().out().flush();
        }
    }

    private void note(String text) {
        if (!isJson()) {
            context.shell().note(text);
        }
    }

    private boolean isJson() {
        return context.output() == OutputFormat.JSON;
    }
}
