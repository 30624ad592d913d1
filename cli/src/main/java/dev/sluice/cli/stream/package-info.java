/// Follows live streams of events. After the connection is lost, a stream continues where it
/// stopped.
@NullMarked
package dev.sluice.cli.stream;

import org.jspecify.annotations.NullMarked;
