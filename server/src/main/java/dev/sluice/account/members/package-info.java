/// The routes of workspaces, their members and invites.
@NullMarked
package dev.sluice.account.members;

import org.jspecify.annotations.NullMarked;
