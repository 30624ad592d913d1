/// The commands that read and change sources, destinations, connections and keys, and `api`.
@NullMarked
package dev.sluice.cli.resource;

import org.jspecify.annotations.NullMarked;
