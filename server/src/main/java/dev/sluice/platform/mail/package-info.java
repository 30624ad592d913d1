/// Sends mail over SMTP. Only this package imports Angus Mail, the mail library.
@NullMarked
package dev.sluice.platform.mail;

import org.jspecify.annotations.NullMarked;
