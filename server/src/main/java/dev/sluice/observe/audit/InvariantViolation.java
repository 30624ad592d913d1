package dev.sluice.observe.audit;

/// One violation of an invariant.
///
/// @param text one sentence that includes the affected ids
record InvariantViolation(Invariant invariant, String text) {}
