/// The running proof that no delivery is lost or stored twice.
@NullMarked
package dev.sluice.features.audit;

import org.jspecify.annotations.NullMarked;
