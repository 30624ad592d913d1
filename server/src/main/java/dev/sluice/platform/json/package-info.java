/// Reads and writes JSON. Only this package imports Jackson, the JSON library.
///
/// [FieldReader] reads request bodies and reports their invalid fields together. [JsonDocument] and
/// [JsonMerger] handle payloads from untrusted senders.
@NullMarked
package dev.sluice.platform.json;

import org.jspecify.annotations.NullMarked;
