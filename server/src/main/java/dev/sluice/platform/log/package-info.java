/// Writes log events as JSON.
@NullMarked
package dev.sluice.platform.log;

import org.jspecify.annotations.NullMarked;
