/** The workspace switcher, the pages, and the state of the relay. On a phone, a bar with five buttons at the bottom. */
import { Fragment, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useMutation } from '@tanstack/react-query';
import { call, openWorkspace } from '../api/client';
import { useFailureGroups, useMe, useStatus, useWorkspaces } from '../api/queries';
import { Icon } from '../ui/icons';
import { Dialog, Menu, type MenuItem } from '../ui/overlay';
import { Badge, Button } from '../ui/parts';
import { whenSaved } from '../lib/unsaved';
import { AtControl } from '../ui/AtControl';
import { Field, Form, text } from '../ui/form';
import { openPalette } from './Palette';
import { openHelp } from './Shortcuts';
import { PLACES, type Place } from './places';
import { signOut } from './session';

export function Sidebar() {
  const [path] = useLocation();
  const groups = useFailureGroups();
  const failures = groups.data?.items.length ?? 0;
  return (
    <aside className="side">
      <WorkspaceMenu />
      <nav aria-label="Main">
        {PLACES.map((place, i) => (
          <Fragment key={place.path}>
            {place.section !== (PLACES[i - 1]?.section ?? '') && <h2 className="side-h">{place.section}</h2>}
            <PlaceLink place={place} path={path} failures={failures} />
          </Fragment>
        ))}
      </nav>
      <Foot />
    </aside>
  );
}

function PlaceLink({ place, path, failures }: { place: Place; path: string; failures: number }) {
  const isHere = path === place.path || path.startsWith(`${place.path}/`);
  return (
    <Link href={place.path} aria-current={isHere ? 'page' : undefined} title={place.label}>
      <Icon name={place.icon} />
      <span className="name">{place.label}</span>
      {place.path === '/failures' && failures > 0 && (
        <Badge failed>
          {failures}
          <span className="sr"> groups of failures</span>
        </Badge>
      )}
    </Link>
  );
}

/** Four pages, and everything else behind "More", because a thumb can hit about five targets. */
export function TabBar() {
  const [path] = useLocation();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const groups = useFailureGroups();
  const failures = groups.data?.items.length ?? 0;
  useEffect(() => setMoreOpen(false), [path]);
  const first = PLACES.filter((place) => ['/events', '/failures', '/sources', '/destinations'].includes(place.path));
  return (
    <>
      <nav className="tabbar" aria-label="Main">
        {first.map((place) => (
          <PlaceLink key={place.path} place={place} path={path} failures={failures} />
        ))}
        <button type="button" onClick={() => setMoreOpen(true)}>
          <Icon name="more" />
          More
        </button>
      </nav>
      {isMoreOpen && (
        <Dialog title="More" onClose={() => setMoreOpen(false)}>
          <div className="more-top">
            <WorkspaceMenu />
            <Button
              icon="search"
              onClick={() => {
                setMoreOpen(false);
                openPalette();
              }}
            >
              Search or jump to
            </Button>
          </div>
          <nav className="more-list" aria-label="More" onClick={() => setMoreOpen(false)}>
            {PLACES.filter((place) => !first.includes(place)).map((place) => (
              <PlaceLink key={place.path} place={place} path={path} failures={0} />
            ))}
          </nav>
          <footer>
            <Button onClick={() => void signOut()}>Sign out</Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

function WorkspaceMenu() {
  const me = useMe();
  const workspaces = useWorkspaces();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const current = me.data?.workspace;
  const switchTo = useMutation({
    mutationFn: (id: string) => call('POST /api/v1/workspaces/{id}/switch', { path: { id } }),
    onSuccess: (_, id) => openWorkspace(id),
  });
  const items: MenuItem[] = [
    ...(workspaces.data?.items ?? []).map((one) => ({
      label: (
        <>
          {one.name} <span className="faint small">{one.id === current?.id ? 'current' : one.role}</span>
        </>
      ),
      onSelect: () => one.id !== current?.id && whenSaved(() => switchTo.mutate(one.id)),
    })),
    'line',
    { label: 'New workspace', icon: 'plus', onSelect: () => setCreating(true) },
    { label: 'Settings', icon: 'settings', onSelect: () => navigate('/settings') },
    'line',
    { label: `Sign out ${me.data?.user?.name ?? ''}`, onSelect: () => void signOut() },
  ];
  return (
    <div className="ws">
      <AtControl of={switchTo}>
        <Menu kind="quiet" items={items} className="ws-menu">
          <Icon name="logo" className="logo" />
          <span className="cut name">{current?.name ?? ''}</span>
        </Menu>
      </AtControl>
      {isCreating && (
        <Dialog title="New workspace" onClose={() => setCreating(false)}>
          <Form
            onSubmit={async (values) => {
              const made = await call('POST /api/v1/workspaces', { body: { name: text(values, 'name') } });
              await call('POST /api/v1/workspaces/{id}/switch', { path: { id: made.id } });
              openWorkspace(made.id);
            }}
            footer={(isBusy) => (
              <footer>
                <Button type="submit" kind="primary" disabled={isBusy}>
                  Create workspace
                </Button>
              </footer>
            )}
          >
            <Field name="name" label="Name" autoFocus hint="A workspace has its own sources, events, keys and members." />
          </Form>
        </Dialog>
      )}
    </div>
  );
}

function Foot() {
  const status = useStatus();
  const state = status.isError ? 'down' : (status.data?.status ?? 'ok');
  const words = { ok: 'Relay healthy', degraded: 'Relay degraded', down: 'Relay not responding' }[state];
  return (
    <div className="foot">
      <div>
        <span className={`live ${state}`}>
          <i />
          {words}
        </span>
      </div>
      <div className="num">
        {status.data ? `v${status.data.version}` : ''}
        <button type="button" className="help" aria-label="Keyboard shortcuts" onClick={openHelp}>
          <kbd>?</kbd>
        </button>
      </div>
    </div>
  );
}
