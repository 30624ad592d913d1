/// Who is asking: API keys, the owner's password, the first start.
@NullMarked
package dev.sluice.account.access;

import org.jspecify.annotations.NullMarked;
