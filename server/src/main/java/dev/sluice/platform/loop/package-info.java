/// Work that is done again and again, one round at a time.
@NullMarked
package dev.sluice.platform.loop;

import org.jspecify.annotations.NullMarked;
