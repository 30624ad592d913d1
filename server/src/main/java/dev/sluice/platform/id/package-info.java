/// Identifiers: time-ordered UUIDs (RFC 9562, version 7), made in one place.
@NullMarked
package dev.sluice.platform.id;

import org.jspecify.annotations.NullMarked;
