@NullMarked
package dev.sluice.bench.scenario;

import org.jspecify.annotations.NullMarked;
