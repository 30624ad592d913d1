@NullMarked
package dev.sluice.bench.report;

import org.jspecify.annotations.NullMarked;
