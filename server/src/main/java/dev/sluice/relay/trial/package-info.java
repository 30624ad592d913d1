/// Tests settings at a user's request: sends test deliveries and test events, and checks stored
/// events against a verification config that need not be saved.
@NullMarked
package dev.sluice.relay.trial;

import org.jspecify.annotations.NullMarked;
