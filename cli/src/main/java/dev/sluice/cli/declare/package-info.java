/// The `apply` and `export` commands, which read and write all of a workspace's sources,
/// destinations and connections as one file.
@NullMarked
package dev.sluice.cli.declare;

import org.jspecify.annotations.NullMarked;
