/** Signing out. Signing in is a page of its own. */
import { call } from '../api/client';
import { queryClient } from '../api/queries';

export async function signOut() {
  try {
    await call('POST /api/v1/auth/logout');
  } finally {
    await queryClient.resetQueries();
  }
}
