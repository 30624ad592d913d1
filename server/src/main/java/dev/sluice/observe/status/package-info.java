/// Reports whether the service works: `GET /api/v1/status`, and the health checks under `/healthz`.
@NullMarked
package dev.sluice.observe.status;

import org.jspecify.annotations.NullMarked;
