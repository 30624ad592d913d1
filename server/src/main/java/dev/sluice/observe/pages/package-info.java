/// Serves the dashboard: pages that run in the browser and use nothing but the public API.
@NullMarked
package dev.sluice.observe.pages;

import org.jspecify.annotations.NullMarked;
