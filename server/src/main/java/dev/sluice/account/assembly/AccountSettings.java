package dev.sluice.account.assembly;

import dev.sluice.account.access.InitialSetup;
import dev.sluice.account.people.PeopleSettings;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.PlanChangePolicy;

/// The account layer's settings.
///
/// @param headerPrefix the prefix of the server's own headers; `GET /api/v1/me` shows it to callers
public record AccountSettings(
        PlanCatalog plans,
        PlanChangePolicy planChangePolicy,
        InitialSetup.InitialSetupSettings initialSetup,
        PeopleSettings people,
        String headerPrefix) {}
