/// Tells people that deliveries fail, and that they work again.
@NullMarked
package dev.sluice.features.alerts;

import org.jspecify.annotations.NullMarked;
