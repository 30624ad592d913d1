package dev.sluice.account.access;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.ConnectionOwner;

import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Remembers for whom each key or session was last found to be, so that a request waits for a
/// connection in its own workspace's line already while it is being identified.
///
/// It decides only where the request waits, and never what it may do. Until a key or session has
/// been found, its requests wait in the line of the client's network: nobody can make them wait in
/// the line of a workspace to which they do not belong. Thread-safe.
final class CredentialOwners {

    private static final int MAX_REMEMBERED = 10_000;

    /// @param hash the hash of the key or of the session's token, in hexadecimal
    /// @param named the workspace that the request names
    private record Credential(String hash, Optional<WorkspaceId> named) {}

    private final Map<Credential, Object> owners = new LeastRecentlyUsed<>(MAX_REMEMBERED);

    /// Runs `find` for the owner that the credential had last time, and the rest of the request for
    /// the one that it has now.
    <T> Optional<T> identify(
            byte[] hash,
            Optional<WorkspaceId> named,
            Supplier<Optional<T>> find,
            Function<T, Object> ownerOf) {
        var credential = new Credential(HexFormat.of().formatHex(hash), named);
        synchronized (this) {
            Optional.ofNullable(owners.get(credential)).ifPresent(ConnectionOwner::change);
        }
        var found = find.get();
        var owner = found.map(ownerOf);
        synchronized (this) {
            owner.ifPresentOrElse(
                    known -> owners.put(credential, known), () -> owners.remove(credential));
        }
        owner.ifPresent(ConnectionOwner::change);
        return found;
    }
}
