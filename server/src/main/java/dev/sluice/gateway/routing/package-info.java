/// The configuration of all workspaces, held in memory. It maps each ingest token to a source, and
/// each connection to its source and destination.
///
/// Every incoming webhook and every delivery attempt needs this configuration, so lookups never
/// query the database.
@NullMarked
package dev.sluice.gateway.routing;

import org.jspecify.annotations.NullMarked;
