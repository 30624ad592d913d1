/** What the pages of mailed links share: the token in the address, and a link that does not work any more. */
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { Note } from '../ui/parts';

/** The form of the page, or a note if the address has no token. */
export function MailedLink({ token, children }: { token: string; children: ReactNode }) {
  if (token !== '') return children;
  return (
    <Note icon="unverified" tone="failed">
      The address has no token. Open the full link from the mail again.
    </Note>
  );
}

/** Waits for a request with the token of a link. If the server does not know the token, fails with `reason`. */
export async function orGone(request: Promise<unknown>, reason: string): Promise<void> {
  await request.catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? new ApiError(404, error.code, reason) : error;
  });
}
