// Plain HTTP has no clipboard API, and a browser may refuse it elsewhere.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyText } from '../src/lib/copy';

let copied: string[];

beforeEach(() => {
  copied = [];
  document.body.innerHTML = '<button>Copy</button>';
  document.execCommand = (command: string) => {
    copied.push(`${command} ${(document.querySelector('textarea') as HTMLTextAreaElement).value}`);
    return true;
  };
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.innerHTML = '';
});

it('copies from a hidden field on plain HTTP, removes the field and gives the focus back', async () => {
  vi.stubGlobal('isSecureContext', false);
  const button = document.querySelector('button')!;
  button.focus();
  expect(await copyText('a\nb')).toBe(true);
  expect(copied).toEqual(['copy a\nb']);
  expect(document.querySelector('textarea')).toBeNull();
  expect(document.activeElement).toBe(button);
});

it('copies from a hidden field if the browser refuses its clipboard', async () => {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('refused')) } });
  expect(await copyText('a')).toBe(true);
  expect(copied).toEqual(['copy a']);
});

it('puts the field into an open dialog, because the page behind it is inert', async () => {
  vi.stubGlobal('isSecureContext', false);
  document.body.innerHTML = '<dialog open></dialog>';
  let parent: string | undefined;
  document.execCommand = () => {
    parent = document.querySelector('textarea')?.parentElement?.localName;
    return false;
  };
  expect(await copyText('a')).toBe(false);
  expect(parent).toBe('dialog');
});
