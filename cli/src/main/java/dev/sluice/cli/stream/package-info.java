/// Follows live streams of events. After a lost connection, a stream continues where it stopped.
@NullMarked
package dev.sluice.cli.stream;

import org.jspecify.annotations.NullMarked;
