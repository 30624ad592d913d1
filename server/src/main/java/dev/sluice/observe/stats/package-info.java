/// Statistics: how many events, deliveries and refused requests there were, how deliveries ended
/// and how long attempts took. The numbers come from the usage counts rather than from event rows.
/// Only the age of the oldest waiting delivery comes from delivery rows.
@NullMarked
package dev.sluice.observe.stats;

import org.jspecify.annotations.NullMarked;
