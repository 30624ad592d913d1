package dev.sluice.cli.declare;

import dev.sluice.cli.declare.ExistingGateway.ExistingThing;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/// Builds a file that describes a workspace's sources, destinations and connections. The server
/// masks secrets, so the file contains references to environment variables instead.
final class GatewayExport {

    /// The field that contains a source's ingest token. It is left out of the file unless the user
    /// asks for it, because anyone who knows the token can send events to the source.
    private static final String INGEST_TOKEN = "token";

    private final ObjectNode file = JsonTree.object().put("version", GatewayFile.VERSION);
    private final Set<String> variables = new LinkedHashSet<>();

    private final boolean hasTokens;

    private GatewayExport(boolean hasTokens) {
        this.hasTokens = hasTokens;
    }

    /// @param hasTokens whether the file contains the sources' tokens
    static GatewayExport of(ExistingGateway state, boolean hasTokens) {
        var export = new GatewayExport(hasTokens);
        for (var kind : DeclaredKind.values()) {
            var list = export.file.putArray(kind.list());
            state.things().stream()
                    .filter(thing -> thing.kind() == kind)
                    .sorted(Comparator.comparing(ExistingThing::name))
                    .forEach(thing -> {
                        state.find(kind, thing.name()); // throws if the name is ambiguous
                        list.add(export.describe(thing));
                    });
        }
        return export;
    }

    ObjectNode file() {
        return file;
    }

    /// Returns the names of the environment variables that the file refers to.
    Set<String> variables() {
        return variables;
    }

    private ObjectNode describe(ExistingThing thing) {
        var item = JsonTree.object();
        if (thing.kind() == DeclaredKind.CONNECTION) {
            item.put("source", SecretReferences.escaped(thing.source()))
                    .put("destination", SecretReferences.escaped(thing.destination()));
        }
        for (String field : thing.kind().fields()) {
            var value = thing.json().path(field);
            boolean isWritten = hasTokens || !field.equals(INGEST_TOKEN);
            if (isWritten && !value.isNull() && !value.isMissingNode()) {
                item.set(
                        field,
                        withoutSecrets(value, thing.kind().word() + "_" + thing.name(), field));
            }
        }
        return item;
    }

    private JsonNode withoutSecrets(JsonNode value, String owner, String field) {
        if (value instanceof ObjectNode object) {
            var copy = JsonTree.object();
            object.properties()
                    .forEach(entry ->
                            copy.set(
                                    entry.getKey(),
                                    withoutSecrets(entry.getValue(), owner, entry.getKey())));
            return copy;
        }
        if (value.isArray()) {
            var copy = JsonTree.object().arrayNode();
            value.valueStream().forEach(element -> copy.add(withoutSecrets(element, owner, field)));
            return copy;
        }
        if (!value.isString()) {
            return value;
        }
        String text = value.asString();
        return JsonTree.object()
                .stringNode(
                        text.equals(SecretReferences.MASK)
                                ? SecretReferences.reference(newVariable(owner + "_" + field))
                                : SecretReferences.escaped(text));
    }

    /// Returns the name of a new environment variable, built from `text`. Appends a number if the
    /// name is already used.
    private String newVariable(String text) {
        String name = text.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_");
        String free = name;
        for (int i = 2; !variables.add(free); i++) {
            free = name + "_" + i;
        }
        return free;
    }
}
