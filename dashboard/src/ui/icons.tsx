// The icons of the design, as elements, so that no markup is parsed at run time. Each shape stands for one state or place.
import type { ReactNode } from 'react';

type Shape = { box: number; body: ReactNode };

const SHAPES = {
  'logo': { box: 20, body: <><path d="M2 3.5h16M4 3.5v13M16 3.5v13" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round"/><path d="M7 6h6v5H7z" fill="currentColor"/><path d="M7 14.5c1-.9 2-.9 3 0s2 .9 3 0" fill="none" stroke="var(--accent-solid)" strokeWidth="2" strokeLinecap="round"/></> },
  'delivered': { box: 16, body: <><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M5 8.3l2.1 2.1L11.2 6" fill="none" stroke="var(--surface)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round"/></> },
  'retry': { box: 16, body: <><path d="M14 8a6 6 0 1 1-2-4.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M12.4.9v2.9H9.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M8 5v3.2l2 1.2" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'delivering': { box: 16, body: <><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity=".3" strokeWidth="2"/><path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round"/></> },
  'rejected': { box: 16, body: <><path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor"/><path d="M4.8 8h6.4" fill="none" stroke="var(--surface)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round"/></> },
  'gaveup': { box: 16, body: <><rect x="1.5" y="1.5" width="13" height="13" rx="2" fill="currentColor"/><path d="M5.5 5.5l5 5m0-5l-5 5" fill="none" stroke="var(--surface)" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round"/></> },
  'held': { box: 16, body: <><path d="M1.5 2.5h13" stroke="currentColor" strokeWidth="2" strokeLinecap="round"/><rect x="3.5" y="5" width="3.4" height="9.5" rx="1" fill="currentColor"/><rect x="9.1" y="5" width="3.4" height="9.5" rx="1" fill="currentColor"/></> },
  'filtered': { box: 16, body: <><path d="M1.8 2.8h12.4L9.6 8.4v4.8l-3.2-1.6V8.4z" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'unverified': { box: 16, body: <><path d="M8 1.2l7 12.8H1z" fill="currentColor" stroke="currentColor" strokeLinejoin="round"/><path d="M8 6v3.6M8 11.8v.1" stroke="var(--surface)" strokeWidth="1.6" strokeLinecap="round"/></> },
  'silent': { box: 16, body: <><path d="M1.5 8h2l1.5-4 2 8 1-4h1" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M11.5 8h.1M14.4 8h.1" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'copen': { box: 16, body: <><path d="M1 8h3.2M11.8 8H15" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="5.4" cy="8" r="1.6" fill="currentColor"/><circle cx="11" cy="8" r="1.6" fill="currentColor"/><path d="M5.6 7.6l4.2-4.4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'chalf': { box: 16, body: <><path d="M1 8h3.2M11.8 8H15" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="5.4" cy="8" r="1.6" fill="currentColor"/><circle cx="11" cy="8" r="1.6" fill="none" stroke="currentColor" strokeWidth="1.3"/><path d="M6 7.5l4-2.3" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'cclosed': { box: 16, body: <><path d="M1 8h14" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="5.2" cy="8" r="1.8" fill="currentColor"/><circle cx="10.8" cy="8" r="1.8" fill="currentColor"/></> },
  'verified': { box: 16, body: <><path d="M8 1.5l5.2 2v4c0 3.4-2.1 5.8-5.2 7-3.1-1.2-5.2-3.6-5.2-7v-4z" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M5.7 8l1.7 1.7 3-3.2" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'mk-delivered': { box: 10, body: <><circle cx="5" cy="5" r="4" fill="currentColor"/></> },
  'mk-retrying': { box: 10, body: <><circle cx="5" cy="5" r="3.3" fill="none" stroke="currentColor" strokeWidth="1.6"/></> },
  'mk-delivering': { box: 10, body: <><circle cx="5" cy="5" r="3.3" fill="none" stroke="currentColor" strokeWidth="1.6"/><path d="M5 1.700a3.300 3.300 0 0 1 0 6.600z" fill="currentColor"/></> },
  'mk-failed': { box: 10, body: <><path d="M1.8 1.8l6.4 6.4m0-6.4L1.8 8.2" stroke="currentColor" strokeWidth="2" strokeLinecap="round"/></> },
  'mk-held': { box: 10, body: <><rect x="1.6" y="1" width="2.6" height="8" rx=".8" fill="currentColor"/><rect x="5.8" y="1" width="2.6" height="8" rx=".8" fill="currentColor"/></> },
  'mk-filtered': { box: 10, body: <><path d="M1.5 5h7" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round"/></> },
  'ring': { box: 16, body: <><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.4 2.3"/></> },
  'overview': { box: 16, body: <><path d="M2 13.5h12M3.5 11V8M8 11V3M12.5 11V6" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'livei': { box: 16, body: <><circle cx="8" cy="8" r="1.6" fill="currentColor"/><path d="M4.6 11.4a4.8 4.8 0 0 1 0-6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8M2.3 13.7a8 8 0 0 1 0-11.4M13.7 2.3a8 8 0 0 1 0 11.4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'events': { box: 16, body: <><path d="M2 4h12M2 8h12M2 12h8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'failures': { box: 16, body: <><path d="M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3zM8 5v3.5M8 11v.1" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'sources': { box: 16, body: <><path d="M8 2v8M4.8 7L8 10.2 11.2 7M2.5 11v2.5h11V11" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'dests': { box: 16, body: <><path d="M3 8h9M8.8 4.6L12.2 8l-3.4 3.4M14.2 2.5v11" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'conns': { box: 16, body: <><circle cx="3.5" cy="4" r="1.8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="12.5" cy="12" r="1.8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M5.3 4H8v8h2.7" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'replays': { box: 16, body: <><path d="M2.5 8a5.5 5.5 0 1 0 1.8-4.1L2.5 5.5M2.5 2.5v3h3" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'alerts': { box: 16, body: <><path d="M4 7a4 4 0 0 1 8 0c0 3.5 1.5 4.5 1.5 4.5h-11S4 10.500 4 7zM6.8 13.8h2.4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'settings': { box: 16, body: <><path d="M2 5h6M12 5h2M2 11h2M8 11h6" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="10" cy="5" r="1.8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><circle cx="6" cy="11" r="1.8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'search': { box: 16, body: <><circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M10.4 10.400L14 14" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'theme': { box: 16, body: <><circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M8 2.500a5.500 5.500 0 0 1 0 11z" fill="currentColor"/></> },
  'copy': { box: 16, body: <><rect x="5.500" y="5.500" width="8" height="8" rx="1.500" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/><path d="M3.500 10.500h-1v-8h8v1" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'down': { box: 16, body: <><path d="M4.500 6.500L8 10l3.500-3.500" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'x': { box: 16, body: <><path d="M4 4l8 8m0-8l-8 8" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'more': { box: 16, body: <><path d="M3.500 8h.1M8 8h.1M12.500 8h.1" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'plus': { box: 16, body: <><path d="M8 3.500v9M3.500 8h9" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'pause': { box: 16, body: <><path d="M5.500 3.500v9M10.500 3.500v9" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'link': { box: 16, body: <><path d="M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500L7.500 13A3 3 0 0 1 3 8.500L4.500 7" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'api': { box: 16, body: <><path d="M5 4.500L1.500 8 5 11.500M11 4.500L14.500 8 11 11.500" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
  'up': { box: 16, body: <><path d="M8 12.500v-9M4.500 7L8 3.500 11.500 7" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"/></> },
} satisfies Record<string, Shape>;

export type IconName = keyof typeof SHAPES;

/** Decoration beside a label. A button with nothing but an icon has an `aria-label`. */
export function Icon({ name, className = '', size }: { name: IconName; className?: string; size?: number }) {
  const { box, body } = SHAPES[name];
  return (
    <svg className={`${name.startsWith('mk-') ? 'm' : 'i'} ${className}`} viewBox={`0 0 ${box} ${box}`} width={size} height={size} aria-hidden="true">
      {body}
    </svg>
  );
}
