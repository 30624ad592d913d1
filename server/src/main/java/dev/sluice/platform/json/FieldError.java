package dev.sluice.platform.json;

/// What is wrong with one field. The message is a whole sentence that names the field and the fix.
public record FieldError(String field, String message) {}
