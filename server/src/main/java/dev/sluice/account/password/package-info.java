/// Passwords: checking, changing and resetting them, and limiting attempts to guess them.
@NullMarked
package dev.sluice.account.password;

import org.jspecify.annotations.NullMarked;
