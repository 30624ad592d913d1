/** The small parts that every page is made of. */
import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { copyText } from '../lib/copy';
import { useTimed } from '../lib/now';
import { setPreferences, usePreferences } from '../lib/preferences';
import { STATES, type StateName, type Tone } from '../lib/states';
import { visible } from '../lib/text';
import { ago, exactTime } from '../lib/time';
import { Icon, type IconName } from './icons';
import { toast } from './toast';

type ButtonProps = {
  children?: ReactNode;
  onClick?: (event: MouseEvent) => void;
  kind?: 'normal' | 'primary' | 'quiet' | 'danger';
  icon?: IconName;
  label?: string;
  large?: boolean;
  disabled?: boolean;
  type?: 'button' | 'submit';
  form?: string;
  title?: string;
  pressed?: boolean;
  className?: string;
};

const KINDS = { normal: '', primary: 'pri', quiet: 'quiet', danger: 'danger' };

/** A button. With `label` and no children it shows only its icon. */
export function Button({ children, onClick, kind = 'normal', icon, label, large, type = 'button', className = '', ...rest }: ButtonProps) {
  const { pressed, ...attributes } = rest;
  return (
    <button
      type={type}
      onClick={onClick as never}
      aria-label={label}
      aria-pressed={pressed}
      className={`btn ${KINDS[kind]} ${large ? 'big' : ''} ${children === undefined ? 'icon' : ''} ${className}`}
      {...attributes}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, kind = 'normal', icon }: { to: string; children: ReactNode; kind?: 'normal' | 'primary' | 'quiet'; icon?: IconName }) {
  return (
    <Link href={to} className={`btn ${KINDS[kind]}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

export function Panel({ title, note, end, children, flush, className = '' }: { title?: ReactNode; note?: ReactNode; end?: ReactNode; children: ReactNode; flush?: boolean; className?: string }) {
  return (
    <section className={`panel ${className}`}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {note !== undefined && <span className="faint small">{note}</span>}
          {end !== undefined && <span className="end">{end}</span>}
        </header>
      )}
      {flush ? children : <div className="in">{children}</div>}
    </section>
  );
}

export function StateLabel({ state, label }: { state: StateName; label?: string }) {
  const { icon, tone, label: usual } = STATES[state];
  return (
    <span className={`state t-${tone}`}>
      <Icon name={icon} className={`is-${tone}`} />
      {label ?? usual}
    </span>
  );
}

export function Chip({ state, label }: { state: StateName; label?: string }) {
  const { icon, tone, label: usual } = STATES[state];
  return (
    <span className={`chip ${tone}`}>
      <Icon name={icon} />
      {label ?? usual}
    </span>
  );
}

/** One mark for each delivery of an event, with one text for all of them. */
export function Marks({ states, text }: { states: StateName[]; text: string }) {
  return (
    <span className="marks" role="img" aria-label={text} title={text}>
      {states.slice(0, 6).map((state, i) => {
        const { mark, tone } = STATES[state];
        return mark && <Icon key={i} name={mark} className={`is-${tone}`} />;
      })}
      {states.length > 6 && <span className="faint small">+{states.length - 6}</span>}
    </span>
  );
}

export function Badge({ children, failed }: { children: ReactNode; failed?: boolean }) {
  return <span className={`badge ${failed ? 'failed' : ''}`}>{children}</span>;
}

export function SourceName({ name, color }: { name: string; color: string | undefined }) {
  return (
    <span className="src cut">
      <i className="bar-mark" style={color === undefined ? undefined : { background: color }} />
      <span className="cut">{visible(name)}</span>
    </span>
  );
}

/** How long ago a time was, with the exact time on hover. */
export function Ago({ time }: { time: string }) {
  const text = useTimed((now) => ago(time, now));
  const { zone } = usePreferences();
  return (
    <time dateTime={time} title={exactTime(time, zone)}>
      {text}
    </time>
  );
}

export function CopyButton({ text, label = 'Copy', children, kind = 'quiet', large }: { text: string; label?: string; children?: ReactNode; kind?: 'normal' | 'primary' | 'quiet'; large?: boolean }) {
  return (
    <Button kind={kind} icon="copy" large={large} label={children === undefined ? label : undefined} onClick={() => void copy(text)}>
      {children}
    </Button>
  );
}

export async function copy(text: string, what = 'Copied') {
  toast((await copyText(text)) ? what : 'The browser did not allow copying. Select the text and press Ctrl C.');
}

export function Segments<T extends string>({ label, value, options, onChange }: { label: string; value: T; options: { value: T; label: ReactNode }[]; onChange: (value: T) => void }) {
  return (
    <div className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === value} className={option.value === value ? 'on' : ''} onClick={() => onChange(option.value)}>
          {option.label}
        </button>
      ))}
    </div>
  );
}

export function Toggle({ label, isOn, onChange, disabled }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void; disabled?: boolean }) {
  return (
    <button type="button" role="switch" aria-checked={isOn} aria-label={label} disabled={disabled} className="toggle" onClick={() => onChange(!isOn)}>
      <i />
    </button>
  );
}

/** Tabs whose state is in the address. */
export function Tabs({ label, tabs, end }: { label: string; tabs: { href: string; label: ReactNode; isOn: boolean }[]; end?: ReactNode }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} className={tab.isOn ? 'on' : ''} aria-current={tab.isOn ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
      {end !== undefined && <span className="end">{end}</span>}
    </nav>
  );
}

export function Note({ icon, tone, children }: { icon?: IconName; tone?: Tone; children: ReactNode }) {
  return (
    <div className={`note ${tone ?? ''}`}>
      {icon && <Icon name={icon} />}
      <div>{children}</div>
    </div>
  );
}

export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="kv">
      {facts.map(([name, value], i) => (
        <div key={i} className="kv-row">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Blank({ icon, title, children, action, tone }: { icon: IconName; title: string; children?: ReactNode; action?: ReactNode; tone?: 'failed' }) {
  return (
    <div className="blank">
      <Icon name={icon} className={tone === 'failed' ? 'is-failed' : 'faint'} />
      <p className="strong">{title}</p>
      {children !== undefined && <p className="muted">{children}</p>}
      {action}
    </div>
  );
}

/** Placeholder rows of the real height. They appear after 150 ms, so that fast responses do not flicker. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <div aria-busy="true" className="sk-wait" />;
  return (
    <ul aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <li key={i} className="sk">
          <i className={`w${i % 4}`} />
          <i className={`w${(i + 2) % 4}`} />
          <i className="w-end" />
        </li>
      ))}
    </ul>
  );
}

export function ThemeButton() {
  usePreferences();
  const isDarkNow = document.documentElement.dataset.theme === 'dark';
  return (
    <Button
      kind="quiet"
      icon="theme"
      label={isDarkNow ? 'Switch to the light theme' : 'Switch to the dark theme'}
      onClick={() => setPreferences({ theme: isDarkNow ? 'light' : 'dark' })}
    />
  );
}
