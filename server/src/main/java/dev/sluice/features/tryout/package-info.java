/// Shows what would be sent and what was sent, and tries a delivery, an event or a verification.
@NullMarked
package dev.sluice.features.tryout;

import org.jspecify.annotations.NullMarked;
