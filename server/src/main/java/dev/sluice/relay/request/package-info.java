/// Builds an attempt's HTTP request from an event, its connection and its destination. The request
/// combines forwarded headers, transformation, identity headers and authentication.
///
/// The code is pure: it performs no I/O.
@NullMarked
package dev.sluice.relay.request;

import org.jspecify.annotations.NullMarked;
