package dev.sluice.gateway;

/// The SQL condition for the query parameter `q`, which searches by name.
///
/// A name matches if it contains `q`, ignoring case. An empty `q` matches every name.
public final class NameSearch {

    /// A condition on the column `name`, to be appended to a `where` clause. Set both parameters of
    /// the condition to `q`.
    public static final String CONDITION = " and (? = '' or strpos(lower(name), lower(?)) > 0)\n";

    private NameSearch() {}
}
