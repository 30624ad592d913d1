package dev.sluice.cli.declare;

import tools.jackson.databind.node.ObjectNode;

/// A source, destination or connection, as described in the file.
///
/// @param name the name of a source or destination; for a connection, `SOURCE -> DESTINATION`
/// @param source the name of a connection's source; empty for other kinds
/// @param destination the name of a connection's destination; empty for other kinds
/// @param fields the fields that the file sets, with their secrets filled in
/// @param shown the whole entry as written in the file, with references instead of secrets
record DeclaredThing(
        DeclaredKind kind,
        String name,
        String source,
        String destination,
        ObjectNode fields,
        ObjectNode shown) {

    @Override
    public String toString() {
        return kind.word() + " " + name; // no fields, because they contain secrets
    }
}
