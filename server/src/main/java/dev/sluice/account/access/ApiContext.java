package dev.sluice.account.access;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.share.ComputePool;

import java.time.InstantSource;

/// The objects that most routes of the management API need, bundled into one parameter.
///
/// @param db the connection pool for the management API
/// @param budgets what requests spend
/// @param compute runs what takes much CPU time, for routes that spend [Budget#COMPUTE]
/// @param ids generates ids for new resources
/// @param clock supplies the timestamps stored with resources
public record ApiContext(
        Db db,
        Authenticator authenticator,
        Budgets budgets,
        ComputePool compute,
        Uuid7 ids,
        InstantSource clock) {}
