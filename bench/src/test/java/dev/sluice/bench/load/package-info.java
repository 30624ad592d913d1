@NullMarked
package dev.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
