/// The rule by which holders share what cannot be taken back from them. Pure bookkeeping.
@NullMarked
package dev.sluice.platform.share;

import org.jspecify.annotations.NullMarked;
