/// Selects dead letters by criteria and stores which of them users have dismissed.
@NullMarked
package dev.sluice.relay.deadletters;

import org.jspecify.annotations.NullMarked;
