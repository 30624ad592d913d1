package dev.sluice.cli.api;

import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.shell.TimeArgument;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// The options that select events by the time at which they were received.
public final class ReceivedOptions {

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only events received since then: 15m, 2h, 3d, or an RFC 3339 time.")
    private @Nullable String since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "Only events received before this time.")
    private @Nullable String until;

    public QueryString addTo(QueryString query, InstantSource clock) {
        return query.with("received_after", since(clock)).with("received_before", until(clock));
    }

    public Optional<String> since(InstantSource clock) {
        return time(since, clock.instant());
    }

    public Optional<String> until(InstantSource clock) {
        return time(until, clock.instant());
    }

    private static Optional<String> time(@Nullable String text, Instant now) {
        return Optional.ofNullable(text).map(given -> TimeArgument.parse(given, now).toString());
    }
}
