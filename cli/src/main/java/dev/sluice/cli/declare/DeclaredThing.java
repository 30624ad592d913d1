package dev.sluice.cli.declare;

import tools.jackson.databind.node.ObjectNode;

/// A source, a destination or a connection as a file describes it.
///
/// @param name of a source or destination; of a connection `SOURCE -> DESTINATION`
/// @param source the name of a connection's source; empty for others
/// @param destination the name of a connection's destination; empty for others
/// @param fields those that the file sets, with their secrets
/// @param shown the same as the file has them, with references instead of secrets
record DeclaredThing(
        DeclaredKind kind,
        String name,
        String source,
        String destination,
        ObjectNode fields,
        ObjectNode shown) {

    @Override
    public String toString() {
        return kind.word() + " " + name; // the fields hold secrets
    }
}
