/// Runs background threads that repeat a task, and stops the server's parts in order.
@NullMarked
package dev.sluice.platform.loop;

import org.jspecify.annotations.NullMarked;
