/// `/api/v1/status` and `/healthz`.
@NullMarked
package dev.sluice.features.status;

import org.jspecify.annotations.NullMarked;
