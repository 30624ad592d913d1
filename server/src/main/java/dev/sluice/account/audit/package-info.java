/// The audit log: who changed what in a workspace, when and from where.
@NullMarked
package dev.sluice.account.audit;

import org.jspecify.annotations.NullMarked;
