/// People: signing in and out, sessions, registering and deleting accounts.
@NullMarked
package dev.sluice.account.people;

import org.jspecify.annotations.NullMarked;
