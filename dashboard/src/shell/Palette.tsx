/** Finds pages, sources and destinations by name, and an event by its own id or by the id of a delivery. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useDestinations, useSources } from '../api/queries';
import { useDebounced } from '../lib/debounced';
import { isWholeId } from '../lib/deliveryLink';
import { Icon, type IconName } from '../ui/icons';
import { PLACES } from './places';

type Entry = { label: string; hint: string; icon: IconName; to: string };

const OPEN = 'sluice:palette';
const ID_START = /^[0-9a-f]{8}-?[0-9a-f-]{0,28}$/i;

export function openPalette() {
  dispatchEvent(new Event(OPEN));
}

export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen(true);
      }
    };
    addEventListener(OPEN, open);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener(OPEN, open);
      removeEventListener('keydown', onKey);
    };
  }, []);
  return isOpen ? <PaletteDialog onClose={() => setOpen(false)} /> : null;
}

/** How many results are shown. The server searches, because there may be thousands. */
const FOUND = 12;

function PaletteDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const q = useDebounced(text.trim());
  const sources = useSources({ q, page: 1, limit: FOUND });
  const destinations = useDestinations({ q, page: 1, limit: FOUND });

  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);

  const entries = useMemo(() => {
    const all: Entry[] = [
      ...PLACES.map((place) => ({ label: place.label, hint: 'Page', icon: place.icon, to: place.path })),
      { label: 'New source', hint: 'Action', icon: 'plus', to: '/sources?new=1' },
      { label: 'New destination', hint: 'Action', icon: 'plus', to: '/destinations?new=1' },
      { label: 'New connection', hint: 'Action', icon: 'plus', to: '/connections?new=1' },
      ...(sources.data?.items ?? []).map((one) => ({ label: one.name, hint: 'Source', icon: 'sources' as const, to: `/sources/${one.id}` })),
      ...(destinations.data?.items ?? []).map((one) => ({ label: one.name, hint: 'Destination', icon: 'dests' as const, to: `/destinations/${one.id}` })),
    ];
    const wanted = text.trim().toLowerCase();
    const found = all.filter((one) => one.label.toLowerCase().includes(wanted));
    if (ID_START.test(wanted)) {
      // The list finds events by their own id and by the id of a delivery. A whole id opens the event that it finds.
      found.unshift({ label: `${isWholeId(wanted) ? 'Event or delivery' : 'Events'} ${wanted}`, hint: 'Id', icon: 'events', to: `/events?q=${wanted}` });
    }
    return found.slice(0, FOUND);
  }, [text, sources.data, destinations.data]);

  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.to);
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search or jump to"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="palette-in">
        <label className="palette-field">
          <Icon name="search" />
          <span className="sr">Search</span>
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
            autoFocus
            placeholder="Page, source, destination or id"
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault();
                const step = event.key === 'ArrowDown' ? 1 : -1;
                setAt((at + step + entries.length) % Math.max(1, entries.length));
              }
              if (event.key === 'Enter') go(entries[at]);
              if (event.key === 'Escape') onClose();
            }}
          />
        </label>
        <ul id="palette-list" role="listbox" aria-label="Results">
          {entries.map((entry, i) => (
            <li key={entry.to + entry.label} id={`palette-${i}`} role="option" aria-selected={i === at} onClick={() => go(entry)} onPointerMove={() => setAt(i)}>
              <Icon name={entry.icon} className="faint" />
              <span className="cut">{entry.label}</span>
              <span className="faint small">{entry.hint}</span>
            </li>
          ))}
        </ul>
        {entries.length === 0 && <p className="muted palette-none">Nothing matches.</p>}
      </div>
    </dialog>
  );
}
