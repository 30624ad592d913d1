package dev.sluice.account.assembly;

import dev.sluice.account.access.InitialSetup;
import dev.sluice.account.people.PeopleSettings;
import dev.sluice.account.plan.PlanCatalog;

/// The settings of the account layer.
public record AccountSettings(
        PlanCatalog plans, InitialSetup.InitialSetupSettings initialSetup, PeopleSettings people) {}
