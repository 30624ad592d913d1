/// Reads the counts of events and deliveries over time, and uses them to find a page of a list.
///
/// The cost of finding a page depends neither on the number of rows nor on how far down the list
/// the page is. This package never writes to the database.
@NullMarked
package dev.sluice.observe.usage;

import org.jspecify.annotations.NullMarked;
