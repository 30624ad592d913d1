package dev.sluice.platform.json;

/// An invalid field in a request, with an error message for the sender.
///
/// @param field the path of the field, such as `auth_config.secret` or `rules.0.field`
/// @param message a complete sentence that starts with the path and says what is wrong or which
///   values are allowed
public record FieldError(String field, String message) {}
