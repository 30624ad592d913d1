import { afterEach, describe, expect, it } from 'vitest';
import { forgetLinkToken, takeLinkToken } from '../src/shell/linkToken';

describe('the token of a mailed link', () => {
  afterEach(() => forgetLinkToken());

  it('is taken from the fragment, and leaves the address bar with the rest of the address', () => {
    history.replaceState(null, '', '/reset?from=mail#Zk3v9QpL');
    expect(takeLinkToken()).toBe('Zk3v9QpL');
    expect(location.href).toMatch(/\/reset\?from=mail$/);
  });

  it('stays known until it was used', () => {
    history.replaceState(null, '', '/invite#abc');
    takeLinkToken();
    expect(takeLinkToken()).toBe('abc');
    forgetLinkToken();
    expect(takeLinkToken()).toBe('');
  });

  it('is the one of the newest link', () => {
    history.replaceState(null, '', '/invite#old');
    takeLinkToken();
    history.replaceState(null, '', '/invite#new');
    expect(takeLinkToken()).toBe('new');
  });
});
