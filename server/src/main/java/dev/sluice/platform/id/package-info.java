/// Time-ordered UUIDs (RFC 9562, version 7) and ranges of them.
@NullMarked
package dev.sluice.platform.id;

import org.jspecify.annotations.NullMarked;
