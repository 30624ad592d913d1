@NullMarked
package dev.sluice.bench.sink;

import org.jspecify.annotations.NullMarked;
