/// Types that several packages of the observe layer share: how a delivery ended and why, filters by
/// time and by id, and list pagination.
@NullMarked
package dev.sluice.observe;

import org.jspecify.annotations.NullMarked;
