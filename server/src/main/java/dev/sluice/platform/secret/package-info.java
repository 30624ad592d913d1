/// Handles secrets: masked values in memory, encryption for storage, random tokens and private
/// files.
@NullMarked
package dev.sluice.platform.secret;

import org.jspecify.annotations.NullMarked;
