package dev.sluice.gateway.alertconfig;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Sha256;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Set;

/// The route `POST /api/v1/mailbox-confirmations`, with which the owner of a mailbox agrees to get
/// a workspace's alerts. The page that the mailed link opens calls it. Opening the link alone
/// changes nothing, because programs that check mail open links, too.
public final class MailboxConfirmationRoutes {

    private final Db db;
    private final InstantSource clock;

    public MailboxConfirmationRoutes(Db db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.openPost("/api/v1/mailbox-confirmations", Set.of(Budget.DATABASE), this::confirm);
    }

    private Reply confirm(Request request) throws IOException {
        var input = request.jsonBody();
        var token = input.required("token", input.text("token", 1, 200));
        input.check();
        byte[] tokenHash = Sha256.hash(token.orElse(""));
        if (!db.call(tx -> MailboxConfirmationStore.confirm(tx, tokenHash, clock.instant()))) {
            throw new ApiException(
                    ApiErrorCode.NOT_FOUND,
                    "This link is unknown, was used, or is older than a week. A test of the alert"
                            + " channel sends a new one.");
        }
        return Reply.noContent();
    }
}
