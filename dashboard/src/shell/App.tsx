/** Shows the sign-in page or, once somebody is signed in, the page that the address names. */
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { ApiError, BASE_PATH, openWorkspace, workspaceOf } from '../api/client';
import { queryClient, useEvents, useMe } from '../api/queries';
import { useGuardedLocation, useLeaving } from '../lib/unsaved';
import { Dialog } from '../ui/overlay';
import { Blank, Button, Skeleton } from '../ui/parts';
import { Toaster } from '../ui/toast';
import { ErrorBoundary } from './ErrorBoundary';
import { Page } from './Page';
import { Palette } from './Palette';
import { Shortcuts } from './Shortcuts';
import { Sidebar, TabBar } from './Sidebar';
import { ConfirmMailbox } from './ConfirmMailbox';
import { ResetPassword } from './ResetPassword';
import { AcceptInvite, SignIn } from './SignIn';
import { NoMember } from './NoMember';
import { Suspended } from './Suspended';
import { EventsPage } from '../pages/events/EventsPage';

const OverviewPage = lazy(() => import('../pages/overview/OverviewPage').then((m) => ({ default: m.OverviewPage })));
const LivePage = lazy(() => import('../pages/live/LivePage').then((m) => ({ default: m.LivePage })));
const AlertsPage = lazy(() => import('../pages/alerts/AlertsPage').then((m) => ({ default: m.AlertsPage })));
const FailuresPage = lazy(() => import('../pages/failures/FailuresPage').then((m) => ({ default: m.FailuresPage })));
const DeliveryLink = lazy(() => import('../pages/events/DeliveryLink').then((m) => ({ default: m.DeliveryLink })));
const SourcesPage = lazy(() => import('../pages/sources/SourcesPage').then((m) => ({ default: m.SourcesPage })));
const SourcePage = lazy(() => import('../pages/sources/SourcePage').then((m) => ({ default: m.SourcePage })));
const DestinationsPage = lazy(() => import('../pages/destinations/DestinationsPage').then((m) => ({ default: m.DestinationsPage })));
const DestinationPage = lazy(() => import('../pages/destinations/DestinationPage').then((m) => ({ default: m.DestinationPage })));
const ConnectionsPage = lazy(() => import('../pages/connections/ConnectionsPage').then((m) => ({ default: m.ConnectionsPage })));
const ConnectionPage = lazy(() => import('../pages/connections/ConnectionPage').then((m) => ({ default: m.ConnectionPage })));
const ReplaysPage = lazy(() => import('../pages/replays/ReplaysPage').then((m) => ({ default: m.ReplaysPage })));
const SettingsPage = lazy(() => import('../pages/settings/SettingsPage').then((m) => ({ default: m.SettingsPage })));
const WelcomePage = lazy(() => import('../pages/welcome/WelcomePage').then((m) => ({ default: m.WelcomePage })));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={BASE_PATH} hook={useGuardedLocation}>
        <SignedIn />
        <Toaster />
      </Router>
    </QueryClientProvider>
  );
}

function SignedIn() {
  const me = useMe();
  const [path] = useLocation();
  const isInvite = path === '/invite';
  const isRefused = me.error instanceof ApiError && me.error.status === 401;
  const named = workspaceOf(path);
  // 400: what stands for a workspace in the address is not even an id. 403: the session is in no workspace.
  const isNoMember = me.error instanceof ApiError && (named === undefined ? [403] : [400, 404]).includes(me.error.status);
  const wasRefused = useRef(false);
  wasRefused.current = isRefused || (wasRefused.current && me.data === undefined && !isNoMember);
  if (path === '/reset') return <ResetPassword />;
  if (path === '/confirm-mailbox') return <ConfirmMailbox />;
  // The form stays, with what was typed, until the response to a sign-in arrives.
  if (wasRefused.current) return <SignIn hasInvite={isInvite} />;
  if (isInvite && (me.data !== undefined || isNoMember)) return <AcceptInvite onDone={openWorkspace} />;
  if (isNoMember) return <NoMember />;
  if (me.data === undefined) {
    if (!me.isError) return <div aria-busy="true" />;
    return (
      <main className="gate">
        <Blank tone="failed" icon="unverified" title="The server could not be reached" action={<Button onClick={() => void me.refetch()}>Try again</Button>}>
          {me.error.message}
        </Blank>
      </main>
    );
  }
  if (named === undefined) return <IntoWorkspace id={me.data.workspace.id} />;
  if (me.data.workspace.suspension) return <Suspended suspension={me.data.workspace.suspension} />;
  return (
    <Router base={`/w/${named}`}>
      <InWorkspace key={named} id={named} />
    </Router>
  );
}

/** An address without a workspace, such as an old bookmark, shows the session's current one. */
function IntoWorkspace({ id }: { id: string }) {
  return <Redirect to={`/w/${id}${location.pathname.slice(BASE_PATH.length)}${location.search}${location.hash}`} replace />;
}

let shown: string | undefined;

/** The pages of one workspace. A document shows only one: what it has read, and what it still does, belongs to that one. */
function InWorkspace({ id }: { id: string }) {
  const [path] = useLocation();
  const isOther = shown !== undefined && shown !== id;
  useEffect(() => {
    if (isOther) location.reload();
    else shown = id;
  }, [id, isOther]);
  if (isOther) return <div aria-busy="true" />;
  return (
    <div className="app">
      <a className="skip" href="#page" onClick={skip}>
        Skip to content
      </a>
      <Sidebar />
      <ErrorBoundary resetKey={path}>
        <Suspense fallback={<Loading />}>
          <Routes />
        </Suspense>
      </ErrorBoundary>
      <TabBar />
      <Palette />
      <LeaveDialog />
      <Shortcuts />
    </div>
  );
}

/** Asks before unsaved edits are lost. */
export function LeaveDialog() {
  const leaving = useLeaving();
  if (leaving === null) return null;
  return (
    <Dialog title="Leave without saving?" onClose={leaving.stay}>
      <p className="in">This page has unsaved changes. They are lost if you leave it.</p>
      <footer>
        <Button onClick={leaving.stay}>Stay</Button>
        <Button kind="danger" onClick={leaving.leave}>
          Leave and discard
        </Button>
      </footer>
    </Dialog>
  );
}

function skip(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.getElementById('page')?.focus();
}

function Loading() {
  return (
    <div className="main">
      <header className="bar" />
      <div className="page">
        <Skeleton />
      </div>
    </div>
  );
}

function Routes() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/overview" component={OverviewPage} />
      <Route path="/live" component={LivePage} />
      <Route path="/events/:id?" component={EventsPage} />
      <Route path="/deliveries/:id" component={DeliveryLink} />
      <Route path="/failures" component={FailuresPage} />
      <Route path="/sources" component={SourcesPage} />
      <Route path="/sources/:id/:tab?" component={SourcePage} />
      <Route path="/destinations" component={DestinationsPage} />
      <Route path="/destinations/:id/:tab?" component={DestinationPage} />
      <Route path="/connections" component={ConnectionsPage} />
      <Route path="/connections/:id" component={ConnectionPage} />
      <Route path="/replays/:id?" component={ReplaysPage} />
      <Route path="/alerts" component={AlertsPage} />
      <Route path="/settings/:tab?" component={SettingsPage} />
      <Route component={NotFound} />
    </Switch>
  );
}

/** Opens the welcome page until the first event arrives, and the overview from then on. */
function Home() {
  const events = useEvents({ limit: 1 });
  if (events.data === undefined && !events.isError) return <Loading />;
  return <Redirect to={events.data?.total === 0 ? '/welcome' : '/overview'} replace />;
}

function NotFound() {
  return (
    <Page title="Not found">
      <Blank icon="ring" title="There is no such page">
        The address may be from another version of Sluice.
      </Blank>
    </Page>
  );
}
