@NullMarked
package dev.sluice.bench.wire;

import org.jspecify.annotations.NullMarked;
