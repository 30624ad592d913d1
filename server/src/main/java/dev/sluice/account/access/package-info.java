/// Access to the API: API keys, each workspace's rate limit, the owner's password, and the
/// credentials created when the server first starts.
@NullMarked
package dev.sluice.account.access;

import org.jspecify.annotations.NullMarked;
