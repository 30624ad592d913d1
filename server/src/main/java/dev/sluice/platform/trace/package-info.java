/// Spans: what one request did and how long it took, sent to an OpenTelemetry collector. Only this
/// package imports the OpenTelemetry SDK, which is loaded only if tracing is on.
@NullMarked
package dev.sluice.platform.trace;

import org.jspecify.annotations.NullMarked;
