package dev.sluice.account.people;

import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.SessionCookie;
import dev.sluice.account.access.SessionStore;
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

    /// Opens a session. Returns the header that sets the session's cookie.
    ///
    /// @param workspace the workspace in which the session acts; empty if the person is a member of
    ///   none
    Header open(
            Tx tx, Request request, UUID account, Optional<WorkspaceId> workspace, Instant now) {
        String token = random.base62(TOKEN_LENGTH);
        SessionStore.insert(
                tx,
                new SessionStore.NewSession(
                        ids.next(),
                        account,
                        workspace,
                        clientAddress.of(request).getHostAddress(),
                        userAgent(request)),
                Sha256.hash(token),
                now);
        return cookie.set(token);
    }

    private static String userAgent(Request request) {
        String sent = request.firstHeader("User-Agent").orElse("").replace("\0", "");
        return sent.substring(0, Math.min(sent.length(), MAX_USER_AGENT_LENGTH));
    }
}
