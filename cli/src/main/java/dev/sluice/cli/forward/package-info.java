/// Forwards an event to a local address, with its method, its headers and the bytes of its body.
@NullMarked
package dev.sluice.cli.forward;

import org.jspecify.annotations.NullMarked;
