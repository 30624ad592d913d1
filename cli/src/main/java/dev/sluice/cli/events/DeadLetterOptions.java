package dev.sluice.cli.events;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ReceivedOptions;
import dev.sluice.cli.server.QueryString;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.time.InstantSource;
import java.util.Optional;

/// The options that choose dead letters.
final class DeadLetterOptions {

    @Option(
            names = "--status",
            paramLabel = "LIST",
            description = "Such as exhausted or exhausted,failed.")
    private @Nullable String status;

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Only of this source, by id or name.")
    private @Nullable String source;

    @Option(
            names = "--destination",
            paramLabel = "DESTINATION",
            description = "Only to this destination, by id or name.")
    private @Nullable String destination;

    @Option(names = "--connection", paramLabel = "ID", description = "Only on this connection.")
    private @Nullable String connection;

    @Option(names = "--error-code", paramLabel = "CODE", description = "Such as response_timeout.")
    private @Nullable String errorCode;

    @Option(names = "--response-status", paramLabel = "N", description = "Such as 503.")
    private @Nullable Integer responseStatus;

    @Mixin private final ReceivedOptions received = new ReceivedOptions();

    QueryString query(NameLookup names, InstantSource clock) {
        var query =
                new QueryString()
                        .with("status", Optional.ofNullable(status))
                        .with("source_id", Optional.ofNullable(source).map(names::sourceId))
                        .with(
                                "destination_id",
                                Optional.ofNullable(destination).map(names::destinationId))
                        .with("connection_id", Optional.ofNullable(connection))
                        .with("error_code", Optional.ofNullable(errorCode))
                        .with(
                                "response_status",
                                Optional.ofNullable(responseStatus).map(String::valueOf));
        return received.addTo(query, clock);
    }
}
