package dev.sluice.account.access;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;

import java.time.InstantSource;

/// The objects that routes of the management API need together.
///
/// @param db the pool of connections that serves the management API
/// @param ids makes the ids of new resources
/// @param clock shows the time that is stored in resources
public record ApiContext(Db db, Authenticator authenticator, Uuid7 ids, InstantSource clock) {}
