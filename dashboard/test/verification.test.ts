// What the test beside the form checks: what was entered, and the saved settings only while the form still has them.
import { expect, it } from 'vitest';
import { trialOf } from '../src/pages/sources/VerificationForm';

const HMAC = { provider: 'generic_hmac', secret: '***', header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', tolerance_secs: 300 };
const SHOWN = { secret: '', header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', tolerance_secs: 300 };

it('tests the saved settings while the form has them', () => {
  expect(trialOf('generic_hmac', SHOWN, HMAC)).toBe('saved');
  expect(trialOf('none', {}, { provider: 'none' })).toBe('saved');
});

it.each([{ header: 'X-Other' }, { algorithm: 'sha1' }, { tolerance_secs: 5 }])('asks for the secret to test %j, because the API takes no config without it', (change) => {
  expect(trialOf('generic_hmac', { ...SHOWN, ...change }, HMAC)).toBe('needs-secret');
  expect(trialOf('generic_hmac', { ...SHOWN, ...change, secret: 's' }, HMAC)).toEqual({ provider: 'generic_hmac', ...SHOWN, ...change, secret: 's' });
});

it('tests the public key that was entered, which is no secret', () => {
  expect(trialOf('discord', { public_key: 'b' }, { provider: 'discord', public_key: 'a' })).toEqual({ provider: 'discord', public_key: 'b' });
  expect(trialOf('discord', { public_key: 'a' }, { provider: 'discord', public_key: 'a' })).toBe('saved');
});

it('tests another provider as it was entered', () => {
  expect(trialOf('slack', { secret: '' }, HMAC)).toEqual({ provider: 'slack', secret: '' });
});
