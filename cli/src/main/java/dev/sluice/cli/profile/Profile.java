package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAddress;

/// A server and the key to it, under a name.
///
/// @param apiKey a secret
record Profile(ServerAddress server, String apiKey) {

    @Override
    public String toString() {
        return "Profile[" + server + ", " + ApiKeys.prefix(apiKey) + "]";
    }
}
