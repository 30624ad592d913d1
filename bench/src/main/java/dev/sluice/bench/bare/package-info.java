/// The bare pipeline: the relay's libraries and its way of working, without its features. What it
/// costs is the limit that the relay is held against.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
