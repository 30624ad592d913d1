/// Writes log events as JSON, and omits repeated warnings about a lost database connection.
@NullMarked
package dev.sluice.platform.log;

import org.jspecify.annotations.NullMarked;
