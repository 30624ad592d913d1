package dev.sluice.features.audit;

/// One violation of an invariant.
///
/// @param text one sentence that includes the affected ids
record InvariantViolation(Invariant invariant, String text) {}
