/// What a webhook passes through, from its first byte to its end, and nothing else.
///
/// The packages are the stages, in the order in which a webhook meets them: `accept`, `commit`,
/// `send`, `settle`. What cannot be sent at once waits in `lanes`; `share` keeps one workspace from
/// using up what others need; `node` holds this process's lease; `ledger` counts. The types of this
/// package are the nouns that all stages use. Nothing here imports a feature.
@NullMarked
package dev.sluice.engine;

import org.jspecify.annotations.NullMarked;
