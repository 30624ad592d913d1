/// Whether nothing is lost: holds what the tables say about each event against each other.
///
/// It reads the relay's tables with queries of its own, writes how far it got to one row, and mends
/// nothing.
@NullMarked
package dev.sluice.observe.audit;

import org.jspecify.annotations.NullMarked;
