/// Value types that several packages of the observe layer share: how a delivery ended, and why.
@NullMarked
package dev.sluice.observe;

import org.jspecify.annotations.NullMarked;
