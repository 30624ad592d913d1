@NullMarked
package dev.sluice.bench.platform;

import org.jspecify.annotations.NullMarked;
