import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { setPreferences } from '../src/lib/preferences';
import { useEscape } from '../src/shell/Shortcuts';

it('Escape closes what is open, with single keys turned off too, and does nothing otherwise', () => {
  let closed = 0;
  const Opened = ({ isOpen }: { isOpen: boolean }) => {
    useEscape(isOpen, () => closed++);
    return null;
  };
  setPreferences({ shortcuts: false });
  const root = document.createElement('div');
  document.body.append(root);
  const target = (isOpen: boolean) => void act(() => render(<Opened isOpen={isOpen} />, root));
  target(false);
  root.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(closed).toBe(0);
  target(true);
  root.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(closed).toBe(1);
  render(null, root);
  setPreferences({ shortcuts: true });
});
