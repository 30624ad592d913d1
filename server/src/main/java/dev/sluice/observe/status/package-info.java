/// Reports whether the service works: `GET /api/v1/status` and the checks below `/healthz`.
@NullMarked
package dev.sluice.observe.status;

import org.jspecify.annotations.NullMarked;
