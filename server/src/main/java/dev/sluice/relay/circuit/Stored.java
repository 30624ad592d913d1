package dev.sluice.relay.circuit;

/// A circuit as its row says it.
///
/// @param version counts the writes of the row; 0 when there is none yet
record Stored(Circuit circuit, long version) {

    static final Stored NONE = new Stored(Circuit.healthy(), 0);
}
