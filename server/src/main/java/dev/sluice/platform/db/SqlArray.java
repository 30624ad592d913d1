package dev.sluice.platform.db;

import java.util.List;

/// An argument that is a PostgreSQL array.
///
/// @param elementType PostgreSQL's name of the elements' type
/// @param elements values of one of the types that [Tx] accepts; a [NewRows.ColumnType] stands for
///   a null
record SqlArray(String elementType, List<Object> elements) {}
