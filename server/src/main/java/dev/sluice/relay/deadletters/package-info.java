/// Dead letters that people put aside: selecting them by the filter of the lists, and dismissing
/// them.
@NullMarked
package dev.sluice.relay.deadletters;

import org.jspecify.annotations.NullMarked;
