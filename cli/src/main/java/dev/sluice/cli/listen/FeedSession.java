package dev.sluice.cli.listen;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.stream.CursorFile;
import dev.sluice.cli.stream.EventFeed;
import dev.sluice.cli.stream.FeedListener;
import dev.sluice.cli.stream.FilteredEvent;
import dev.sluice.cli.stream.StartPlace;
import dev.sluice.cli.stream.StreamChoice;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Predicate;

/// One run of `tail` or `listen`: where it begins, what it counts, where it remembers its place.
final class FeedSession implements FeedListener {

    private final CommandContext context;
    private final FeedOptions options;
    private final ServerClient client;
    private final StreamChoice choice;
    private final FeedPrinter printer;
    private final Optional<Instant> since;
    private final long startNanos = System.nanoTime();
    private Optional<CursorFile> cursors = Optional.empty();
    private Optional<String> target = Optional.empty();
    private Predicate<StoredEvent> handler = _ -> true;
    private boolean isGapExpected;
    private int events;

    FeedSession(
            CommandContext context,
            InstantSource clock,
            FeedOptions options,
            ServerClient client,
            StreamChoice choice,
            FeedPrinter printer) {
        this.context = context;
        this.options = options;
        this.client = client;
        this.choice = choice;
        this.printer = printer;
        this.since = options.since(clock.instant());
    }

    /// @param isFull whether events come with headers and body
    /// @param forwardTo where they go, for the banner; with it the place is remembered
    /// @param onEvent takes an event, and says whether it counts
    void run(boolean isFull, Optional<String> forwardTo, Predicate<StoredEvent> onEvent) {
        target = forwardTo;
        handler = onEvent;
        String workspace = client.get("me").json().path("workspace").path("id").asString("");
        var file =
                CursorFile.of(
                        context.shell(), client.server() + " " + workspace + " " + choice.key());
        var place = place(file);
        isGapExpected = place.isGapExpected();
        cursors = forwardTo.isPresent() ? Optional.of(file) : Optional.empty();
        String path = FeedRunner.path(choice, place, isFull);
        var feed =
                new EventFeed(
                        client,
                        path,
                        place.cursor(),
                        options.maxReconnectTime(context),
                        EventFeed.MAX_SILENCE,
                        this);
        new FeedRunner(printer).run(feed);
    }

    private StartPlace place(CursorFile file) {
        if (options.isFromStart()) {
            return StartPlace.oldest();
        }
        if (options.isCatchUp()) {
            var cursor = file.read();
            if (cursor.isEmpty()) {
                printer.warning("these sources were not listened to before, so this begins now");
            }
            return cursor.map(StartPlace::atCursor).orElse(StartPlace.NOW);
        }
        return since.map(time -> StartPlace.since(time, client)).orElse(StartPlace.NOW);
    }

    /// How many events were handled.
    int events() {
        return events;
    }

    @Override
    public void onReady(boolean isReconnect) {
        if (isReconnect) {
            printer.resumed();
        } else {
            printer.ready(client.server().toString(), choice, target);
        }
    }

    @Override
    public void onEvent(StoredEvent event) {
        if (isWanted(event) && handler.test(event)) {
            events++;
        }
    }

    /// Whether it did not come in before the time that was asked for.
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
        cursors.ifPresent(file -> file.write(cursor));
    }

    @Override
    public void onGap(String reason) {
        if (isGapExpected) {
            isGapExpected = false;
        } else {
            printer.gap(reason);
        }
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
        return isLate || isEnough || printer.isBroken();
    }
}
