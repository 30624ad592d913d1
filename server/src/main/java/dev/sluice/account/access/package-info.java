/// Access to the API: accounts, sessions and API keys, each workspace's API rate limit, password
/// hashes, and the credentials created when the server first starts.
@NullMarked
package dev.sluice.account.access;

import org.jspecify.annotations.NullMarked;
