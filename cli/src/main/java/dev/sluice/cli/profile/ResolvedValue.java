package dev.sluice.cli.profile;

/// The value of a setting, and where it comes from.
///
/// @param origin where the value comes from, such as `SLUICE_SERVER` or `profile 'default'`
record ResolvedValue<T>(T value, String origin) {}
