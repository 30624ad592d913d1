package dev.sluice.cli.stream;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// The sources that a stream shows, with their names.
public final class StreamSources {

    /// One source.
    ///
    /// @param path the path of its ingest URL
    public record NamedSource(String id, String name, String path) {}

    private final List<NamedSource> chosen;
    private final boolean isAll;
    private final Map<String, String> names = new HashMap<>();

    private StreamSources(List<JsonNode> all, List<String> ids) {
        isAll = ids.isEmpty();
        chosen =
                all.stream()
                        .map(source ->
                                new NamedSource(
                                        source.path("id").asString(""),
                                        source.path("name").asString(""),
                                        source.path("ingest_path").asString("")))
                        .filter(source -> isAll || ids.contains(source.id()))
                        .toList();
        chosen.forEach(source -> names.put(source.id(), source.name()));
        for (String id : ids) {
            if (!names.containsKey(id)) {
                throw new CommandException(
                        ExitCode.NOT_FOUND,
                        "not_found",
                        "There is no source " + id + ".",
                        "`sluice sources list` shows all sources.");
            }
        }
    }

    /// @param given ids or names; empty for all sources, including future ones
    public static StreamSources find(ServerClient client, List<String> given) {
        var lookup = new NameLookup(client);
        var ids = given.stream().map(lookup::sourceId).toList();
        return new StreamSources(lookup.sources(), ids);
    }

    public List<NamedSource> chosen() {
        return chosen;
    }

    /// Returns the source's name, or its id if the name is unknown, for example because the source
    /// was created after the stream started.
    public String name(String id) {
        return names.getOrDefault(id, id);
    }

    /// Returns text that identifies these sources, regardless of their order.
    public String key() {
        var ids = new TreeSet<String>();
        chosen.forEach(source -> ids.add(source.id()));
        return isAll ? "all" : String.join(",", ids);
    }

    /// Returns one source filter for each request that is needed to list events. Each filter is the
    /// id of a chosen source. If all sources are chosen, returns a single empty filter because one
    /// request lists the events of all sources.
    List<Optional<String>> filter() {
        return isAll
                ? List.of(Optional.empty())
                : chosen.stream().map(source -> Optional.of(source.id())).toList();
    }

    public QueryString addTo(QueryString query) {
        return isAll ? query : query.with("source_ids", key());
    }
}
