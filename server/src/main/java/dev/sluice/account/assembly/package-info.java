/// Builds the account layer: authentication, people and workspaces, plans and the audit log, with
/// their routes. Only the root package and the assemblies of higher layers import this package.
@NullMarked
package dev.sluice.account.assembly;

import org.jspecify.annotations.NullMarked;
