/// Previews how a connection would treat an event, without sending or storing anything.
@NullMarked
package dev.sluice.relay.preview;

import org.jspecify.annotations.NullMarked;
