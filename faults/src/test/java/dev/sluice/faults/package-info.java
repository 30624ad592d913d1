@NullMarked
package dev.sluice.faults;

import org.jspecify.annotations.NullMarked;
