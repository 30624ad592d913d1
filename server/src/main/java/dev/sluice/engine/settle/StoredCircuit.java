package dev.sluice.engine.settle;

/// A circuit as stored in its row in the `circuit` table.
///
/// @param version the number of times the row has been written; 0 if there is no row yet
record StoredCircuit(CircuitBreaker circuit, long version) {

    static final StoredCircuit NONE = new StoredCircuit(CircuitBreaker.healthy(), 0);
}
