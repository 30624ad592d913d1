/// Passwords: checking, changing and resetting them, and what bounds the cost of guessing.
@NullMarked
package dev.sluice.account.password;

import org.jspecify.annotations.NullMarked;
