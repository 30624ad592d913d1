package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAddress;

/// A server and an API key for it, which the user has stored under a name.
///
/// @param apiKey a secret
record Profile(ServerAddress server, String apiKey) {

    @Override
    public String toString() {
        return "Profile[" + server + ", " + ApiKeys.prefix(apiKey) + "]";
    }
}
