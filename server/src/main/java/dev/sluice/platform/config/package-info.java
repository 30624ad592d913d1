/// Settings from the environment and a file, all mistakes reported together.
@NullMarked
package dev.sluice.platform.config;

import org.jspecify.annotations.NullMarked;
