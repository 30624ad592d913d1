package dev.sluice.cli.stream;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/// The events that a stream shows: all events from the sources, or only those that pass the filter,
/// if there is one. If there is a connection, each event is shown as the connection would send it.
///
/// @param filter JSON in the format of `filter_rules`
/// @param connection the connection's id
public record StreamChoice(
        StreamSources sources, Optional<JsonNode> filter, Optional<String> connection) {

    /// @param given source ids or names. If empty, the stream shows the connection's source, or all
    ///   sources if there is no connection
    /// @param connection the connection's id as the user typed it
    public static StreamChoice find(
            ServerClient client,
            List<String> given,
            Optional<JsonNode> filter,
            Optional<String> connection) {
        var id = connection.map(text -> new NameLookup(client).id(ResourceType.CONNECTION, text));
        var ofConnection = id.map(one -> sourceOf(client, one));
        var wanted = given.isEmpty() ? ofConnection.map(List::of).orElse(given) : given;
        return new StreamChoice(StreamSources.find(client, wanted), filter, id);
    }

    private static String sourceOf(ServerClient client, String connection) {
        return client.get(ResourceType.CONNECTION.path() + "/" + connection)
                .json()
                .path("source_id")
                .asString("");
    }

    public QueryString addTo(QueryString query) {
        return sources.addTo(query)
                .with("filter", filter.map(JsonTree::write))
                .with("connection_id", connection);
    }

    /// Returns text that identifies this choice. Positions are saved under this text because a
    /// position in one stream is not valid in a stream with a different filter.
    public String key() {
        return sources.key()
                + connection.map(id -> " connection " + id).orElse("")
                + filter.map(rules -> " filter " + JsonTree.write(rules)).orElse("");
    }
}
