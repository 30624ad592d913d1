/// What tests stand on: a real database for each class, a clock that is moved by hand, a receiver
/// whose misbehaviour is data.
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
