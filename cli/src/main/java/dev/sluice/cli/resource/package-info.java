/// The commands that read and change sources, destinations, connections, alerts and keys, and the
/// `api` command.
@NullMarked
package dev.sluice.cli.resource;

import org.jspecify.annotations.NullMarked;
