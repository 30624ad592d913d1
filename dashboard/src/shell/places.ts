/** The pages of the sidebar, in order. */
import type { IconName } from '../ui/icons';

export type Place = { path: string; label: string; icon: IconName; section: '' | 'Routing' | 'Operate'; key: string };

export const PLACES: Place[] = [
  { path: '/overview', label: 'Overview', icon: 'overview', section: '', key: 'o' },
  { path: '/live', label: 'Live', icon: 'livei', section: '', key: 'l' },
  { path: '/events', label: 'Events', icon: 'events', section: '', key: 'e' },
  { path: '/failures', label: 'Failures', icon: 'failures', section: '', key: 'f' },
  { path: '/sources', label: 'Sources', icon: 'sources', section: 'Routing', key: 's' },
  { path: '/destinations', label: 'Destinations', icon: 'dests', section: 'Routing', key: 'd' },
  { path: '/connections', label: 'Connections', icon: 'conns', section: 'Routing', key: 'c' },
  { path: '/replays', label: 'Replays', icon: 'replays', section: 'Operate', key: 'r' },
  { path: '/alerts', label: 'Alerts', icon: 'alerts', section: 'Operate', key: 'a' },
  { path: '/settings', label: 'Settings', icon: 'settings', section: 'Operate', key: 't' },
];
