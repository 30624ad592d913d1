@NullMarked
package dev.sluice.bench.fault;

import org.jspecify.annotations.NullMarked;
