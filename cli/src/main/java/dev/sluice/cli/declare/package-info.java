/// The `apply` and `export` commands, which read and write all sources, destinations and
/// connections of a workspace as one file.
@NullMarked
package dev.sluice.cli.declare;

import org.jspecify.annotations.NullMarked;
