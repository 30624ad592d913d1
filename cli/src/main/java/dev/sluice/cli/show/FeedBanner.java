package dev.sluice.cli.show;

import dev.sluice.cli.forward.RouteTable;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.stream.StreamChoice;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The text printed when a stream opens. It says what the stream shows and where events are sent.
///
/// @param server the server's address
/// @param access a phrase that names the server and says where the API key comes from
/// @param workspace the workspace's name
/// @param start a phrase that describes where the stream starts
/// @param choice the events that the stream shows
/// @param routes the addresses to which events are sent; empty if events are only shown
public record FeedBanner(
        String server,
        String access,
        String workspace,
        String start,
        StreamChoice choice,
        Optional<RouteTable> routes) {

    /// Adds the banner's content, except `access`, to the JSON object that the output format `json`
    /// prints.
    void addTo(ObjectNode json) {
        json.put("server", server).put("workspace", workspace).put("start", start);
        var list = json.putArray("sources");
        for (var source : choice.sources().chosen()) {
            var one =
                    JsonTree.object()
                            .put("id", source.id())
                            .put("name", source.name())
                            .put("url", server + source.path());
            target(source.id()).ifPresent(target -> one.put("forward_to", target));
            list.add(one);
        }
        routes.ifPresent(table -> json.put("forward_to", table.toString()));
        choice.connection().ifPresent(id -> json.put("connection_id", id));
        choice.filter().ifPresent(rules -> json.set("filter", rules));
    }

    /// Returns the banner as lines of human-readable text.
    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add(access + ", workspace " + workspace);
        for (var source : choice.sources().chosen()) {
            lines.add(
                    "  %s  %s%s%s"
                            .formatted(
                                    source.name(),
                                    server,
                                    source.path(),
                                    target(source.id())
                                            .map(target -> "  -> " + target)
                                            .orElse("")));
        }
        choice.connection().ifPresent(id -> lines.add("  as connection " + id + " sends them"));
        choice.filter().ifPresent(rules -> lines.add("  that match " + JsonTree.write(rules)));
        lines.add("  " + start);
        int count = choice.sources().chosen().size();
        lines.add(
                "Ready. %d %s%s   (Ctrl-C to stop)"
                        .formatted(
                                count,
                                count == 1 ? "source" : "sources",
                                routes.map(table -> " -> " + table).orElse("")));
        return lines;
    }

    private Optional<String> target(String sourceId) {
        return routes.flatMap(table -> table.target(sourceId)).map(Object::toString);
    }
}
