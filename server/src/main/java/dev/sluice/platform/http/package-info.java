/// The HTTP server's face: routing, requests, replies and the error envelope. Only this room knows
/// which HTTP server it is.
@NullMarked
package dev.sluice.platform.http;

import org.jspecify.annotations.NullMarked;
