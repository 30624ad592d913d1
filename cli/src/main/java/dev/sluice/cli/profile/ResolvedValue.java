package dev.sluice.cli.profile;

/// A setting's value and where it comes from.
///
/// @param origin where the value comes from, such as `SLUICE_SERVER` or `profile 'default'`
record ResolvedValue<T>(T value, String origin) {}
