/// The whole server over HTTP: send in, see it arrive.
@NullMarked
package dev.sluice.journey;

import org.jspecify.annotations.NullMarked;
