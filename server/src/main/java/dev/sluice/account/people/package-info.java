/// People: signing in and out, sessions, passwords and accounts.
@NullMarked
package dev.sluice.account.people;

import org.jspecify.annotations.NullMarked;
