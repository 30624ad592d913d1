package dev.sluice.cli.profile;

/// A value and where it comes from.
///
/// @param origin such as `SLUICE_SERVER` or `profile 'default'`
record ResolvedValue<T>(T value, String origin) {}
