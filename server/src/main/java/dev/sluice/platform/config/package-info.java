/// Reads settings by name and reports all their errors together.
@NullMarked
package dev.sluice.platform.config;

import org.jspecify.annotations.NullMarked;
