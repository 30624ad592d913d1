package dev.sluice.gateway.source;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;

/// A source's fields in the body of a create or PATCH request.
///
/// @param token the token that the user chose for a new source; a PATCH request cannot change it
record SourceFields(
        Patch<String> token,
        Patch<String> name,
        Patch<String> description,
        Patch<String> color,
        Patch<Source.SourceStatus> status,
        Patch<VerificationConfig> verification,
        Patch<ResponseConfig> response) {

    private static final String COLOR_PATTERN = "#[0-9a-fA-F]{6}";

    /// Reads the fields of a new source. Invalid fields are recorded as errors in `input`.
    static SourceFields readNew(FieldReader input, CustomHeaderRules headerRules) {
        return read(input, headerRules, OwnToken.read(input));
    }

    /// Reads the fields of a PATCH request. Invalid fields are recorded as errors in `input`.
    static SourceFields readChange(FieldReader input, CustomHeaderRules headerRules) {
        OwnToken.refuse(input);
        return read(input, headerRules, new Patch.KeepValue<>());
    }

    private static SourceFields read(
            FieldReader input, CustomHeaderRules headerRules, Patch<String> token) {
        var fields =
                new SourceFields(
                        token,
                        input.name("name", 1, 200),
                        input.description("description", 0, 2000),
                        input.text("color", 7, 7),
                        input.oneOf("status", Source.SourceStatus.BY_TEXT),
                        input.nested("verification_config")
                                .map(config -> VerificationJson.read(config, headerRules)),
                        input.nested("response_config").map(ResponseConfig::read));
        fields.color
                .toOptional()
                .filter(color -> !color.matches(COLOR_PATTERN))
                .ifPresent(_ -> input.addError("color", "must be a colour such as #2563eb."));
        return fields;
    }

    /// Records an error if `name` is missing, or if `status` is null.
    void require(FieldReader input) {
        input.required("name", name);
        input.rejectNull("status", status);
    }

    /// Records an error for each field that is null but cannot be cleared. Only `description`,
    /// `verification_config` and `response_config` can be cleared.
    void refuseClearing(FieldReader input) {
        input.rejectNull("name", name);
        input.rejectNull("color", color);
        input.rejectNull("status", status);
    }

    /// Returns the settings for a new source. Call this only after `input.check()`.
    Source.SourceSpec newSpec(String defaultColor) {
        return new Source.SourceSpec(
                name.toOptional().orElseThrow(),
                description.toOptional(),
                color.orElse(defaultColor),
                status.orElse(Source.SourceStatus.ACTIVE),
                verification.orElse(new VerificationConfig.NoVerification()),
                response.toOptional());
    }

    Source.SourceSpec applyTo(Source.SourceSpec spec) {
        return new Source.SourceSpec(
                name.orElse(spec.name()),
                description.applyTo(spec.description()),
                color.orElse(spec.color()),
                status.orElse(spec.status()),
                verification.applyTo(spec.verification(), new VerificationConfig.NoVerification()),
                response.applyTo(spec.response()));
    }
}
