/// The bare pipeline: the relay's libraries and its way of working, without its features. Its cost
/// is the limit that the relay is compared with.
@NullMarked
package dev.sluice.bench.bare;

import org.jspecify.annotations.NullMarked;
