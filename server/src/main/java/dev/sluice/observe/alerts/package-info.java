/// Alerts people to failures: finds the failures, composes the messages, and sends them over the
/// channels that users have configured.
@NullMarked
package dev.sluice.observe.alerts;

import org.jspecify.annotations.NullMarked;
