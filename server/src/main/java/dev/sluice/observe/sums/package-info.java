/// How many of what there were when, and where a page lies in them: from the usage sums, at a cost
/// that depends neither on how many there are nor on how deep the page is. Only reads.
@NullMarked
package dev.sluice.observe.sums;

import org.jspecify.annotations.NullMarked;
