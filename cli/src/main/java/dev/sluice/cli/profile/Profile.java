package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAddress;

/// A server and its API key, which the user has stored under a name.
///
/// @param apiKey the whole key, which must not be printed
record Profile(ServerAddress server, String apiKey) {

    @Override
    public String toString() {
        return "Profile[" + server + ", " + ApiKeys.prefix(apiKey) + "]";
    }
}
