/// The fuzz run: generates valid and invalid requests from a relay's OpenAPI document, sends them
/// to the relay and checks its responses.
@NullMarked
package dev.sluice.faults.fuzz;

import org.jspecify.annotations.NullMarked;
