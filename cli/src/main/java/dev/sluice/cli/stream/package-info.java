/// Follows live streams of events. By default, a stream whose connection is lost continues where it
/// stopped.
@NullMarked
package dev.sluice.cli.stream;

import org.jspecify.annotations.NullMarked;
