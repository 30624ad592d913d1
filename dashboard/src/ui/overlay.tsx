/** Dialogs and menus. The browser's own `<dialog>` traps and returns the focus. */
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from './parts';
import { Icon, type IconName } from './icons';

export function Dialog({ title, onClose, children, wide }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const focused = document.activeElement;
    if (element && !element.open) element.showModal();
    return () => {
      element?.close();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'wide' : ''}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h1>{title}</h1>
        <Button kind="quiet" icon="x" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

export type MenuItem = { label: ReactNode; icon?: IconName; onSelect: () => void; danger?: boolean; hint?: string } | 'line';

/** Calls `close` when something outside of `root` is pressed while it is open. */
export function useCloseOutside(root: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void) {
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close();
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
}

/** A button that opens a list of actions. Arrow keys move, Escape closes. */
export function Menu({ label, children, items, kind = 'normal', icon, align = 'start', className = '' }: {
  label?: string;
  children?: ReactNode;
  items: MenuItem[];
  kind?: 'normal' | 'primary' | 'quiet';
  icon?: IconName;
  align?: 'start' | 'end';
  className?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const buttons = () => [...(root.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? [])];

  useEffect(() => {
    if (isOpen) buttons()[0]?.focus();
  }, [isOpen]);
  useCloseOutside(root, isOpen, () => setOpen(false));

  const close = () => {
    setOpen(false);
    root.current?.querySelector<HTMLButtonElement>('[aria-haspopup]')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    const to = moves[event.key];
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else if (event.key === 'Tab') {
      setOpen(false);
    } else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    }
  };
  return (
    <div ref={root} className={`menu-root ${className}`} onKeyDown={isOpen ? onKeyDown : undefined}>
      <button
        type="button"
        className={`btn ${kind === 'primary' ? 'pri' : kind === 'quiet' ? 'quiet' : ''} ${children === undefined ? 'icon' : ''}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        {children}
        {children !== undefined && <Icon name="down" />}
      </button>
      {isOpen && (
        <div className={`menu ${align}`} role="menu">
          {items.map((item, i) =>
            item === 'line' ? (
              <hr key={i} />
            ) : (
              <button
                key={i}
                type="button"
                role="menuitem"
                className={item.danger ? 't-failed' : ''}
                onClick={() => {
                  close();
                  item.onSelect();
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                <span>{item.label}</span>
                {item.hint && <kbd>{item.hint}</kbd>}
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}
