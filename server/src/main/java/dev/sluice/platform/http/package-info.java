/// The HTTP server: routing, requests, replies and the error envelope. Only this package imports
/// Jetty, the server library.
@NullMarked
package dev.sluice.platform.http;

import org.jspecify.annotations.NullMarked;
