/// Sending mail over SMTP. The only room that knows Angus Mail.
@NullMarked
package dev.sluice.platform.mail;

import org.jspecify.annotations.NullMarked;
