/// Sends spans to an OpenTelemetry collector. A span describes one operation, such as an inbound
/// request or a delivery attempt, and how long it took. Only this package imports the OpenTelemetry
/// SDK, which is loaded only if tracing is on.
@NullMarked
package dev.sluice.platform.trace;

import org.jspecify.annotations.NullMarked;
