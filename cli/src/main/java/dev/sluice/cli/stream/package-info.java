/// Live streams of events: the connection that never loses its place.
@NullMarked
package dev.sluice.cli.stream;

import org.jspecify.annotations.NullMarked;
