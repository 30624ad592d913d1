/// Decides what an attempt means: the verdict for its delivery and the state of its destination's
/// circuit, which all nodes share.
@NullMarked
package dev.sluice.engine.settle;

import org.jspecify.annotations.NullMarked;
