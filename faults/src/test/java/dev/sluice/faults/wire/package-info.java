@NullMarked
package dev.sluice.faults.wire;

import org.jspecify.annotations.NullMarked;
