package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ReceivedOptions;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.shell.JsonTree;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ObjectNode;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The options that filter dead letters.
final class DeadLetterOptions {

    @Option(
            names = "--status",
            paramLabel = "LIST",
            split = ",",
            description = "exhausted or failed; by default both.")
    private List<String> statuses = List.of();

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Only dead letters of this source, by id or name.")
    private @Nullable String source;

    @Option(
            names = "--destination",
            paramLabel = "DESTINATION",
            description = "Only dead letters to this destination, by id or name.")
    private @Nullable String destination;

    @Option(names = "--connection", paramLabel = "ID", description = "Only on this connection.")
    private @Nullable String connection;

    @Option(names = "--error-code", paramLabel = "CODE", description = "Such as response_timeout.")
    private @Nullable String errorCode;

    @Option(names = "--response-status", paramLabel = "N", description = "Such as 503.")
    private @Nullable Integer responseStatus;

    @Mixin private final ReceivedOptions received = new ReceivedOptions();

    /// Returns the filter as the query string of a list request.
    QueryString query(NameLookup names, InstantSource clock) {
        var query = new QueryString();
        if (!statuses.isEmpty()) {
            query.with("status", String.join(",", statuses));
        }
        texts(names, clock).forEach(query::with);
        return query.with(
                "response_status", Optional.ofNullable(responseStatus).map(String::valueOf));
    }

    /// Returns the filter as a request body.
    ObjectNode body(NameLookup names, InstantSource clock) {
        var body = JsonTree.object();
        if (!statuses.isEmpty()) {
            var list = body.putArray("status");
            statuses.forEach(list::add);
        }
        texts(names, clock).forEach(body::put);
        if (responseStatus != null) {
            body.put("response_status", responseStatus);
        }
        return body;
    }

    private Map<String, String> texts(NameLookup names, InstantSource clock) {
        var texts = new LinkedHashMap<String, String>();
        Optional.ofNullable(source)
                .map(names::sourceId)
                .ifPresent(id -> texts.put("source_id", id));
        Optional.ofNullable(destination)
                .map(names::destinationId)
                .ifPresent(id -> texts.put("destination_id", id));
        Optional.ofNullable(connection).ifPresent(id -> texts.put("connection_id", id));
        Optional.ofNullable(errorCode).ifPresent(code -> texts.put("error_code", code));
        received.since(clock).ifPresent(time -> texts.put("received_after", time));
        received.until(clock).ifPresent(time -> texts.put("received_before", time));
        return texts;
    }
}
