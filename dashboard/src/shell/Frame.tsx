/** The frame of the pages outside the dashboard: sign-in, invites and mailed links. */
import { useEffect, type ReactNode } from 'react';
import { Icon } from '../ui/icons';
import { ThemeButton } from '../ui/parts';

export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} | Sluice`;
  }, [title]);
  return (
    <main className="gate">
      <div className="gate-theme">
        <ThemeButton />
      </div>
      <div className="gate-in">
        <div className="gate-brand">
          <Icon name="logo" size={28} />
          <span>Sluice</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
