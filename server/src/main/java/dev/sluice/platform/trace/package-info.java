/// Sends spans to an OpenTelemetry collector. A span says what one request did and how long it
/// took. Only this package imports the OpenTelemetry SDK, which is loaded only if tracing is on.
@NullMarked
package dev.sluice.platform.trace;

import org.jspecify.annotations.NullMarked;
