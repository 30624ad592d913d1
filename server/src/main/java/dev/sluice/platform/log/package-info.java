/// How log events are written.
@NullMarked
package dev.sluice.platform.log;

import org.jspecify.annotations.NullMarked;
