/// Tells people about failures: finds what is to be told, composes the messages and sends them over
/// the channels of the alert configs.
@NullMarked
package dev.sluice.observe.alerts;

import org.jspecify.annotations.NullMarked;
