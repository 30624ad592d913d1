import { describe, expect, it } from 'vitest';
import { configBody, whereTo } from '../src/pages/alerts/channels';

const values = (given: Record<string, string>) => (name: string) => given[name] ?? '';

describe('an alert channel', () => {
  it('sends what its kind needs and nothing else', () => {
    const all = values({ 'config.to': 'a@b.c', 'config.token': '1:a', 'config.chat_id': '-7', 'config.url': 'https://a.example/' });
    expect(configBody('email', all, false)).toEqual({ to: 'a@b.c' });
    expect(configBody('messenger', all, false)).toEqual({ token: '1:a', chat_id: '-7' });
    expect(configBody('webhook', all, true)).toEqual({ url: 'https://a.example/' });
  });

  it('keeps a token that is left empty while editing, and asks for it otherwise', () => {
    const chat = values({ 'config.chat_id': '@ops' });
    expect(configBody('messenger', chat, true)).toEqual({ chat_id: '@ops' });
    expect(configBody('messenger', chat, false)).toEqual({ token: '', chat_id: '@ops' });
  });

  it('is named by where it leads, never by its token', () => {
    expect(whereTo({ config: { to: 'a@b.c' } })).toBe('a@b.c');
    expect(whereTo({ config: { token: '***', chat_id: '-7' } })).toBe('-7');
    expect(whereTo({ config: {} })).toMatch(/cannot be read/);
  });
});
