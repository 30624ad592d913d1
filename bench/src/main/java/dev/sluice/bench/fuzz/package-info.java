/// Requests made from a relay's own OpenAPI document, valid and broken, and the judgement of what
/// is answered.
@NullMarked
package dev.sluice.bench.fuzz;

import org.jspecify.annotations.NullMarked;
