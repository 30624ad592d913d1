/// Sources: where webhooks come in.
@NullMarked
package dev.sluice.gateway.source;

import org.jspecify.annotations.NullMarked;
