/// The lists and single views of events, deliveries and dead letters.
@NullMarked
package dev.sluice.features.lists;

import org.jspecify.annotations.NullMarked;
