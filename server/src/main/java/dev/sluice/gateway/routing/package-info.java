/// The whole configuration in memory: which token is which source, and what each connection joins.
///
/// Read by every request and every attempt, so it never asks the database.
@NullMarked
package dev.sluice.gateway.routing;

import org.jspecify.annotations.NullMarked;
