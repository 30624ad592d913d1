/// The dashboard's files and the OpenAPI document.
@NullMarked
package dev.sluice.features.pages;

import org.jspecify.annotations.NullMarked;
