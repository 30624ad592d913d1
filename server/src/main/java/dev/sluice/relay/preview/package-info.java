/// Shows how a connection would treat an event and what an attempt sent, without sending or storing
/// anything.
@NullMarked
package dev.sluice.relay.preview;

import org.jspecify.annotations.NullMarked;
