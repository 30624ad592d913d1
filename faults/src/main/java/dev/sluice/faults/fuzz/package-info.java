/// The fuzz run: valid and broken requests made from a relay's OpenAPI document, and checks of the
/// answers.
@NullMarked
package dev.sluice.faults.fuzz;

import org.jspecify.annotations.NullMarked;
