@NullMarked
package dev.sluice.bench.measure;

import org.jspecify.annotations.NullMarked;
