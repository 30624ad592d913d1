/// The commands `apply` and `export`, which treat a workspace's sources, destinations and
/// connections as one file.
@NullMarked
package dev.sluice.cli.declare;

import org.jspecify.annotations.NullMarked;
