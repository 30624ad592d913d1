/// Ends and removes what is older than its workspace keeps it, and says so beforehand.
@NullMarked
package dev.sluice.features.retention;

import org.jspecify.annotations.NullMarked;
