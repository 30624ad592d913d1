/// Forwards each event to a local address, with the event's method, headers and exact body bytes.
@NullMarked
package dev.sluice.cli.forward;

import org.jspecify.annotations.NullMarked;
