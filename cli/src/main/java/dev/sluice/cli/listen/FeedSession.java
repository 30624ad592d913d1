package dev.sluice.cli.listen;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.forward.RouteTable;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.show.FeedBanner;
import dev.sluice.cli.show.FeedPrinter;
import dev.sluice.cli.stream.CursorFile;
import dev.sluice.cli.stream.EventFeed;
import dev.sluice.cli.stream.FeedListener;
import dev.sluice.cli.stream.StartPlace;
import dev.sluice.cli.stream.StreamChoice;
import dev.sluice.cli.stream.StreamRequest;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// A single run of `tail` or `listen`. It decides where the stream starts and stops and, for
/// `listen`, saves the position.
final class FeedSession implements FeedListener {

    private final CommandContext context;
    private final InstantSource clock;
    private final FeedOptions options;
    private final ServerClient client;
    private final StreamChoice choice;
    private final FeedPrinter printer;
    private final Optional<Instant> since;
    private final EventWorkers workers;
    private final JsonNode me;
    private final long startNanos = System.nanoTime();
    private Optional<CursorFile> cursors = Optional.empty();
    private Optional<FeedBanner> banner = Optional.empty();
    private Function<StoredEvent, Optional<Runnable>> handler = _ -> Optional.empty();
    private boolean isGapExpected;

    /// Whether to skip the warning about a backlog. True if the user was already warned, if the
    /// stream starts in the past, or if `--concurrency` is above one.
    private boolean isBacklogKnown;

    private int events;

    FeedSession(
            CommandContext context,
            InstantSource clock,
            FeedOptions options,
            ServerClient client,
            StreamChoice choice,
            FeedPrinter printer,
            int concurrency) {
        this.context = context;
        this.clock = clock;
        this.options = options;
        this.client = client;
        this.choice = choice;
        this.printer = printer;
        this.since = options.since(clock.instant());
        this.workers =
                new EventWorkers(
                        concurrency, position -> cursors.ifPresent(file -> file.write(position)));
        this.isBacklogKnown = concurrency > 1;
        this.me = client.get("me").json();
    }

    /// Returns the server's response to `GET /api/v1/me`, which describes the caller.
    JsonNode me() {
        return me;
    }

    /// @param access a phrase that names the server and says where the API key comes from
    /// @param isFull whether events include headers and body
    /// @param routes the addresses to which events are sent; if present, the position is saved
    /// @param onEvent checks an event and returns the action that sends or shows the event, or
    ///   empty to skip it. Only events with an action count towards `--max-events`
    void run(
            String access,
            boolean isFull,
            Optional<RouteTable> routes,
            Function<StoredEvent, Optional<Runnable>> onEvent) {
        handler = onEvent;
        var workspace = me.path("workspace");
        var file =
                CursorFile.of(
                        context.shell(),
                        client.server()
                                + " "
                                + workspace.path("id").asString("")
                                + " "
                                + choice.key());
        var place = place(file);
        isGapExpected = place.isGapExpected();
        isBacklogKnown |= !place.equals(StartPlace.NOW);
        cursors = Optional.of(file).filter(_ -> routes.isPresent());
        banner =
                Optional.of(
                        new FeedBanner(
                                client.server().toString(),
                                access,
                                workspace.path("name").asString(""),
                                place.description(),
                                choice,
                                routes));
        var feed =
                new EventFeed(
                        client, clock, request(place, isFull), options.timeouts(context), this);
        new FeedRunner(printer, workers).run(feed);
    }

    private StreamRequest request(StartPlace place, boolean isFull) {
        return new StreamRequest(
                FeedRunner.path(choice, place, isFull),
                place.cursor(),
                options.isResuming()
                        ? Optional.empty()
                        : Optional.of(FeedRunner.path(choice, StartPlace.NOW, isFull)),
                Optional.of(choice).filter(_ -> options.isResuming()),
                isFull);
    }

    private StartPlace place(CursorFile file) {
        if (options.isFromStart()) {
            return StartPlace.oldest();
        }
        if (options.isCatchUp()) {
            var cursor = file.read();
            if (cursor.isEmpty()) {
                printer.warning("these sources were not listened to before; starting from now");
            }
            return cursor.map(StartPlace::atCursor).orElse(StartPlace.NOW);
        }
        return since.map(time -> StartPlace.since(time, client)).orElse(StartPlace.NOW);
    }

    /// Returns the number of events that counted towards `--max-events`.
    int events() {
        return events;
    }

    @Override
    public void onReady() {
        banner.ifPresent(printer::ready);
    }

    @Override
    public void onResumed(OptionalLong missed) {
        printer.resumed(missed);
    }

    @Override
    public void onEvent(StoredEvent event) {
        if (isWanted(event)) {
            var work = handler.apply(event);
            work.ifPresent(workers::handle);
            events += work.isPresent() ? 1 : 0;
        }
    }

    /// Returns whether the event was received at or after the time given by `--since`. Returns true
    /// if there is no `--since`, or if the event's time is unknown.
    private boolean isWanted(StoredEvent event) {
        return since.isEmpty()
                || event.receivedAt().isEmpty()
                || !Instant.parse(event.receivedAt()).isBefore(since.get());
    }

    @Override
    public void onFiltered(FilteredEvent filtered) {
        if (isWanted(filtered.event())) {
            printer.received();
            printer.filtered(filtered);
        }
    }

    @Override
    public void onCursor(String cursor) {
        workers.advance(cursor);
    }

    @Override
    public void onGap(String reason) {
        if (!isGapExpected || !reason.equals("retention")) {
            printer.gap(reason);
        }
        isGapExpected = false;
    }

    @Override
    public void onSilence(Duration time) {
        printer.warning(
                "nothing came for %d s; the stream is opened again when the local service has taken what came before"
                        .formatted(time.toSeconds()));
    }

    @Override
    public void onBacklog() {
        if (!isBacklogKnown && cursors.isPresent()) {
            printer.warning(
                    "events come in faster than the local service takes them; --concurrency 4 sends"
                            + " four at once, out of order");
        }
        isBacklogKnown = true;
    }

    @Override
    public void onReconnecting(int attempt, Duration delay, String reason) {
        printer.reconnecting(attempt, delay, reason);
    }

    @Override
    public boolean isDone() {
        boolean isLate =
                options.duration()
                        .filter(limit -> System.nanoTime() - startNanos > limit.toNanos())
                        .isPresent();
        boolean isEnough = options.maxEvents().filter(limit -> events >= limit).isPresent();
        return isLate || isEnough || workers.hasFailed() || printer.isBroken();
    }
}
