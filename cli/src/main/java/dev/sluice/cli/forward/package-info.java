/// Sending an event to a local address as it came: the method, the headers and the bytes.
@NullMarked
package dev.sluice.cli.forward;

import org.jspecify.annotations.NullMarked;
