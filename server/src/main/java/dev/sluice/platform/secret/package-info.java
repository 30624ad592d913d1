/// Things that must not be seen: secrets in memory, sealing at rest, random text, files of our own.
@NullMarked
package dev.sluice.platform.secret;

import org.jspecify.annotations.NullMarked;
