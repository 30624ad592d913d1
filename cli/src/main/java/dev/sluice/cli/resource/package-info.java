/// The commands that read and change sources, destinations, connections and alert channels, list
/// API keys, and call any API operation.
@NullMarked
package dev.sluice.cli.resource;

import org.jspecify.annotations.NullMarked;
