/// Measures a relay together with a program that operators run alongside it, such as a reverse
/// proxy.
@NullMarked
package dev.sluice.bench.operate;

import org.jspecify.annotations.NullMarked;
