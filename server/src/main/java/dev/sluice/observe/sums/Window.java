package dev.sluice.observe.sums;

import java.util.UUID;

/// A stretch of one source's ids, in which there is something.
///
/// @param isPure whether all there is in it is of the kind that is wanted
public record Window(UUID source, IdRange ids, boolean isPure) {}
