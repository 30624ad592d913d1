/// Spans: what one request did and how long it took, sent to an OpenTelemetry collector. The only
/// room that knows the OpenTelemetry SDK, which is loaded only while tracing is on.
@NullMarked
package dev.sluice.platform.trace;

import org.jspecify.annotations.NullMarked;
