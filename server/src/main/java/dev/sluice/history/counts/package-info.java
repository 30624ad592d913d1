/// Reads counts over time, and finds with them where a page of a list begins.
@NullMarked
package dev.sluice.history.counts;

import org.jspecify.annotations.NullMarked;
