package dev.sluice.observe.audit;

/// One violation.
///
/// @param text names it by its ids and says what is wrong
record Finding(Invariant invariant, String text) {}
