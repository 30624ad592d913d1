/** The token from a mailed link. It is in the address's fragment, which browsers do not send to servers. */
import { useEffect, useState } from 'react';

let kept = '';

/** Takes the token out of the address bar, so that it is neither seen nor copied, and is not in the history. */
export function takeLinkToken(): string {
  const fragment = location.hash.slice(1);
  if (fragment !== '') {
    kept = fragment;
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return kept;
}

export function forgetLinkToken() {
  kept = '';
}

export function useLinkToken(): string {
  const [token, setToken] = useState(takeLinkToken);
  useEffect(() => {
    // Another link on the same page changes only the fragment.
    const onChange = () => setToken(takeLinkToken());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return token;
}
