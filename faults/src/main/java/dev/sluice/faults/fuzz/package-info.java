/// The fuzz run: makes valid and broken requests from a relay's OpenAPI document, and checks the
/// answers.
@NullMarked
package dev.sluice.faults.fuzz;

import org.jspecify.annotations.NullMarked;
