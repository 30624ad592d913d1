/// Histograms that are cheap to update and can be read at any time.
@NullMarked
package dev.sluice.platform.meter;

import org.jspecify.annotations.NullMarked;
