/// Passwords: checking, changing and resetting them, and limits on guessing them.
@NullMarked
package dev.sluice.account.password;

import org.jspecify.annotations.NullMarked;
