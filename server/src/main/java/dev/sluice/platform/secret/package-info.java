/// Things that must not be seen: secrets in memory, sealing at rest, tokens and their hashes.
@NullMarked
package dev.sluice.platform.secret;

import org.jspecify.annotations.NullMarked;
