/// A workspace's sources, destinations and connections as one file: `apply` and `export`.
@NullMarked
package dev.sluice.cli.declare;

import org.jspecify.annotations.NullMarked;
