package dev.sluice.account.access;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.secret.Sha256;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Opens sessions. A session's token has 43 random characters; the database stores only its hash.
public final class SessionOpener {

    private static final int TOKEN_LENGTH = 43; // more than 255 random bits
    private static final int MAX_USER_AGENT_LENGTH = 200;

    private final SessionCookie cookie;
    private final ClientAddress clientAddress;
    private final Uuid7 ids;
    private final SecretGenerator random;

    public SessionOpener(
            SessionCookie cookie, ClientAddress clientAddress, Uuid7 ids, SecretGenerator random) {
        this.cookie = cookie;
        this.clientAddress = clientAddress;
        this.ids = ids;
        this.random = random;
    }

    /// Opens a session, and adds the client's network to the account's known networks. Returns the
    /// header that sets the session's cookie.
    ///
    /// @param workspace the session's current workspace; empty if the person is not a member of any
    ///   workspace
    public Header open(
            Tx tx, Request request, UUID account, Optional<WorkspaceId> workspace, Instant now) {
        String token = random.base62(TOKEN_LENGTH);
        var client = clientAddress.of(request);
        KnownNetworkStore.remember(tx, account, ClientAddress.network(client), now);
        SessionStore.insert(
                tx,
                new SessionStore.NewSession(
                        ids.next(),
                        account,
                        workspace,
                        client.getHostAddress(),
                        userAgent(request)),
                Sha256.hash(token),
                now);
        return cookie.set(token);
    }

    /// Gives an open session a new token, so that the old token no longer works. Returns the header
    /// that sets the session's cookie, or empty if the session has ended.
    public Optional<Header> rotate(Tx tx, Session session) {
        String token = random.base62(TOKEN_LENGTH);
        return SessionStore.replaceToken(tx, session.id(), Sha256.hash(token))
                ? Optional.of(cookie.set(token))
                : Optional.empty();
    }

    private static String userAgent(Request request) {
        String sent = request.firstHeader("User-Agent").orElse("").replace("\0", "");
        return sent.substring(0, Math.min(sent.length(), MAX_USER_AGENT_LENGTH));
    }
}
