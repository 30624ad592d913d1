/// Filters: the rules about an event's headers and body that decide which events a connection
/// receives.
///
/// Rules are parsed from JSON and evaluated in memory, without any I/O.
@NullMarked
package dev.sluice.gateway.filter;

import org.jspecify.annotations.NullMarked;
