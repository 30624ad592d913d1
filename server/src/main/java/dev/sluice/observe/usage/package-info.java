/// Counts of events and delivery outcomes over time, which also show where a page of a list is.
///
/// The cost depends neither on the number of rows nor on how far down the page is. This package
/// only reads.
@NullMarked
package dev.sluice.observe.usage;

import org.jspecify.annotations.NullMarked;
