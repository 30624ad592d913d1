/// Builds the HTTP request of an attempt from an event, its connection and its destination:
/// forwarded headers, transformation, identity headers and authentication.
///
/// The code is pure: it performs no I/O.
@NullMarked
package dev.sluice.relay.request;

import org.jspecify.annotations.NullMarked;
