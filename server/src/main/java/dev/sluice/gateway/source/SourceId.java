package dev.sluice.gateway.source;

import java.util.UUID;

/// The id of a source.
public record SourceId(UUID value) {

    @Override
    public String toString() {
        return value.toString();
    }
}
