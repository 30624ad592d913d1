/// The commands that list, show, resend and trigger events.
@NullMarked
package dev.sluice.cli.events;

import org.jspecify.annotations.NullMarked;
