/// What users set up: sources, destinations and what connects them.
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
