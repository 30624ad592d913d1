package dev.sluice.cli.show;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.ForwardResult;
import dev.sluice.cli.forward.ForwardResult.Answered;
import dev.sluice.cli.forward.ForwardResult.Unanswered;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;
import dev.sluice.cli.stream.StreamSources;

import tools.jackson.databind.node.ObjectNode;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalLong;

/// Prints a stream's events, either as human-readable lines or as one JSON object per line.
/// Thread-safe.
public final class FeedPrinter {

    private static final int SCHEMA = 1;
    private static final int EXCERPT_LENGTH = 120;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT)
                    .withZone(ZoneId.systemDefault());

    private final CommandContext context;
    private final StreamSources sources;
    private final PrintedParts parts;
    private int received;
    private int forwarded;
    private int failed;
    private int filtered;
    private int gaps;
    private boolean isSummaryPrinted;

    /// @param parts the parts of an event that are printed in addition to its one-line summary
    public FeedPrinter(CommandContext context, StreamSources sources, PrintedParts parts) {
        this.context = context;
        this.sources = sources;
        this.parts = parts;
    }

    public synchronized void ready(FeedBanner banner) {
        var json = line("ready");
        banner.addTo(json);
        print(json);
        if (!isJson()) {
            banner.lines().forEach(context.shell()::note);
        }
    }

    /// @param missed the number of events that arrived while the stream was disconnected, or empty
    ///   if unknown
    public synchronized void resumed(OptionalLong missed) {
        var json = line("resumed");
        missed.ifPresent(count -> json.put("missed", count));
        print(json);
        note(
                missed.isEmpty()
                        ? "live again"
                        : "live again, %d missed %s"
                                .formatted(
                                        missed.getAsLong(),
                                        missed.getAsLong() == 1 ? "event" : "events"));
    }

    public synchronized void reconnecting(int attempt, Duration delay, String reason) {
        print(
                line("reconnecting")
                        .put("attempt", attempt)
                        .put("delay_ms", delay.toMillis())
                        .put("reason", reason));
        note(
                "reconnecting (attempt %d, next try in %.1f s): %s"
                        .formatted(attempt, delay.toMillis() / 1000.0, reason));
    }

    public synchronized void gap(String reason) {
        gaps++;
        print(line("gap").put("reason", reason));
        note("events may be missing: " + reason);
    }

    public synchronized void warning(String message) {
        print(line("warning").put("message", message));
        note("Warning: " + message);
    }

    /// Reports a received event. JSON output prints the event immediately. Human-readable output
    /// prints its line immediately only if `isShownOnly`. Otherwise, the line is printed later,
    /// with the result of forwarding the event or the reason why it is not forwarded.
    public synchronized void event(StoredEvent event, boolean isShownOnly) {
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
        if (parts.hasHeaders() || parts.hasBody()) {
            event.copyPayload(json);
        }
        print(json);
        if (isShownOnly) {
            show(
                    event,
                    event.isPayloadUnreadable() ? "--  the server cannot read its payload" : "");
        }
    }

    /// Counts a received event, whether or not it is forwarded.
    public synchronized void received() {
        received++;
    }

    public synchronized void filtered(FilteredEvent dropped) {
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

    public synchronized void result(StoredEvent event, String target, ForwardResult result) {
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
                if (parts.hasResponse()) {
                    json.put("body", answered.excerpt());
                }
                show(
                        event,
                        "->  %d  %d ms%s"
                                .formatted(
                                        answered.status(),
                                        result.latency().toMillis(),
                                        excerpt(answered)));
                if (parts.hasResponse()) {
                    detail("    < ", answered.excerpt());
                }
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

    /// Prints the summary on the first call. Later calls do nothing. This method is called both
    /// when the command ends and when Ctrl-C ends the process.
    public synchronized void summary() {
        if (isSummaryPrinted) {
            return;
        }
        isSummaryPrinted = true;
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

    public synchronized int failures() {
        return failed;
    }

    /// Returns whether writing to standard output has failed, for example because the program that
    /// reads the pipe has closed it.
    public boolean isBroken() {
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
        if (parts.hasHeaders()) {
            event.headers().forEach(header -> detail("    ", parts.line(header)));
        }
        if (parts.hasBody()) {
            detail("    ", parts.cut(event.text()));
        }
    }

    private void detail(String indent, String text) {
        if (context.output() == OutputFormat.PRETTY) {
            text.lines()
                    .forEach(line -> context.shell().out().println(SafeText.line(indent + line)));
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
