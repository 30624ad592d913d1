/// Measurements of a relay with a program around it that operators use, such as a reverse proxy.
@NullMarked
package dev.sluice.bench.operate;

import org.jspecify.annotations.NullMarked;
