/// Counts of events and deliveries over time, which also show where a page of a list is.
///
/// The cost of finding a page depends neither on the number of rows nor on how far down the list
/// the page is. This package only reads.
@NullMarked
package dev.sluice.observe.usage;

import org.jspecify.annotations.NullMarked;
