/// Tools that tests share: a real database per class, a clock that a test moves, and a scripted
/// HTTP receiver.
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
