package dev.sluice.account.people;

import dev.sluice.account.access.Account;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// Creates the JSON that describes a signed-in person: the account and the session's current
/// workspace.
final class PersonJson {

    private PersonJson() {}

    /// @param membership the session's current workspace; empty if the person is not a member of
    ///   any workspace
    static JsonObject of(Account account, Optional<MemberStore.Membership> membership) {
        return new JsonObject()
                .put("user", account.json())
                .put("workspace", membership.map(found -> found.workspace().json()))
                .put("role", membership.map(found -> found.role().text()));
    }
}
