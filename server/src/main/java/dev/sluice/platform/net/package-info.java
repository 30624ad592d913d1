/// IP addresses, address ranges and host names, and the policy that decides which of them Sluice
/// may send requests to.
@NullMarked
package dev.sluice.platform.net;

import org.jspecify.annotations.NullMarked;
