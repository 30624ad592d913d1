/** The frame of every page: one bar with title, search, time zone and theme, and below it the page. */
import { useEffect, type ReactNode } from 'react';
import { setPreferences, usePreferences } from '../lib/preferences';
import { Icon } from '../ui/icons';
import { Button, ThemeButton } from '../ui/parts';
import { openPalette } from './Palette';

type PageProps = {
  title: string;
  /** What the page belongs to, such as "Connections". */
  up?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
};

export function Page({ title, up, actions, children, className = 'scroll' }: PageProps) {
  useEffect(() => {
    document.title = `${title} | Sluice`;
  }, [title]);
  return (
    <div className="main">
      <header className="bar">
        <h1>
          {up !== undefined && <span className="up">{up} /</span>}
          <span className="cut">{title}</span>
        </h1>
        {actions}
        <button type="button" className="jump" onClick={openPalette}>
          <Icon name="search" size={14} />
          Search or jump to
          <kbd>Ctrl K</kbd>
        </button>
        <ZoneButton />
        <ThemeButton />
      </header>
      <main className={`page ${className}`} id="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function ZoneButton() {
  const { zone } = usePreferences();
  const isUtc = zone === 'utc';
  return (
    <Button
      kind="quiet"
      className="hide"
      title={isUtc ? 'Times are shown in UTC' : 'Times are shown in your time zone'}
      onClick={() => setPreferences({ zone: isUtc ? 'local' : 'utc' })}
    >
      {isUtc ? 'UTC' : 'Local'}
    </Button>
  );
}
