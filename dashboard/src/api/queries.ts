/** The dashboard's queries. Each key mirrors its path, so that a change invalidates everything below a resource. */
import { keepPreviousData, MutationCache, QueryCache, QueryClient, useQueries, useQuery } from '@tanstack/react-query';
import type { Filter } from '../lib/deadLetters';
import { windowStart } from '../lib/time';
import { ApiError, call, serverNow, type Query, type Schemas } from './client';

/** A page that polls what is gone asks no more often than this whether its workspace is gone, too. */
const ACCESS_CHECK_MILLISECONDS = 10_000;

/**
 * The first request after a session ends gets 401; after the person has left the workspace, it gets 404, as for anything else that is not there.
 * While the workspace is suspended, it gets 403 with a code of its own.
 * The shell then asks who the caller is, and shows the sign-in page or says that the person is no member or the workspace is suspended.
 */
function onError(error: Error, query?: { queryKey?: readonly unknown[] }) {
  if (!(error instanceof ApiError) || query?.queryKey?.[0] === 'me') return;
  const me = queryClient.getQueryState(['me']);
  if (me?.data === undefined) return;
  if (error.status === 401 || error.code === 'workspace_suspended' || (error.status === 404 && Date.now() - me.dataUpdatedAt > ACCESS_CHECK_MILLISECONDS)) {
    void queryClient.invalidateQueries({ queryKey: ['me'] });
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError: (error) => onError(error) }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A 4xx is the client's own fault, so asking again would not change it.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      retryDelay: (failures) => 500 * 2 ** failures,
      refetchOnWindowFocus: true,
    },
  },
});

/** Reads everything about these resources again. */
export function changed(...resources: string[]): Promise<unknown> {
  return Promise.all(resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource] })));
}

export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: ({ signal }) => call('GET /api/v1/me', { signal }), staleTime: 30_000 });

export const useStatus = () =>
  useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => call('GET /api/v1/status', { signal }),
    refetchInterval: 15_000,
    retry: false,
  });

export const useWorkspaces = () =>
  useQuery({ queryKey: ['workspaces'], queryFn: ({ signal }) => call('GET /api/v1/workspaces', { signal }) });

export const useSources = (query: Query<'GET /api/v1/sources'> = { limit: 200 }) =>
  useQuery({
    queryKey: ['sources', query],
    queryFn: ({ signal }) => call('GET /api/v1/sources', { query, signal }),
    placeholderData: keepPreviousData,
  });

const oneSource = (id: string) => ({
  queryKey: ['sources', id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /api/v1/sources/{id}', { path: { id }, signal }),
});

const oneDestination = (id: string) => ({
  queryKey: ['destinations', id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /api/v1/destinations/{id}', { path: { id }, signal }),
});

function loadedById<T extends { id: string }>(results: { data: T | undefined }[]): Map<string, T> {
  return new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data] as const])));
}

/** How long a name on a list is taken as current. */
const NAME_MILLISECONDS = 60_000;

/** Sources by their ids, for their names and colours. The first page of all sources mostly has them; others are read one by one. */
export function useSourcesById(ids: string[]): Map<string, { name: string; color: string }> {
  const known = useSources();
  const items = known.data?.items ?? [];
  const missing = known.data === undefined ? [] : [...new Set(ids)].filter((id) => !items.some((one) => one.id === id));
  const others = useQueries({
    queries: missing.map((id) => ({
      ...oneSource(id),
      staleTime: NAME_MILLISECONDS,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return new Map([...items, ...others].map((one) => [one.id, one]));
}

export const useTrash = () =>
  useQuery({
    queryKey: ['sources', 'trash'],
    queryFn: ({ signal }) => call('GET /api/v1/sources/trash', { query: { limit: 200 }, signal }),
  });

export const useSource = (id: string, isEnabled = true) =>
  useQuery({
    ...oneSource(id),
    enabled: isEnabled,
  });

/** A page has its total; only a whole list, which no page asks for, has none. */
function counted<T extends { items: unknown[]; total?: number }>(page: T): T & { total: number } {
  return { ...page, total: page.total ?? page.items.length };
}

/** One page, because a workspace may have ten thousand. */
export const useDestinations = (query: Query<'GET /api/v1/destinations'> = {}, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: ['destinations', 'list', query],
    queryFn: async ({ signal }) => counted(await call('GET /api/v1/destinations', { query: { page: 1, limit: 50, ...query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** Destinations by their ids, for their circuits. Those that are deleted are missing. */
export const useDestinationsById = (ids: string[], refetchInterval: number | false = false) =>
  useQueries({
    queries: [...new Set(ids)].map((id) => ({
      ...oneDestination(id),
      refetchInterval,
    })),
    combine: loadedById,
  });

export const useDestination = (id: string, refetchInterval: number | false = false, isEnabled = true) =>
  useQuery({
    ...oneDestination(id),
    enabled: isEnabled,
    refetchInterval,
  });

/** One page, because a workspace may have ten thousand. */
export const useConnections = (query: Query<'GET /api/v1/connections'> = {}) =>
  useQuery({
    queryKey: ['connections', 'list', query],
    queryFn: async ({ signal }) => counted(await call('GET /api/v1/connections', { query: { page: 1, limit: 50, ...query }, signal })),
    placeholderData: keepPreviousData,
  });

/** Connections by their ids, for their names. Those that are deleted are missing. */
export const useConnectionsById = (ids: string[]) =>
  useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['connections', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /api/v1/connections/{id}', { path: { id }, signal }),
      staleTime: NAME_MILLISECONDS,
    })),
    combine: loadedById,
  });

export const useSourceConnections = (id: string) =>
  useQuery({
    queryKey: ['connections', 'source', id],
    queryFn: ({ signal }) =>
      call('GET /api/v1/sources/{id}/connections', { path: { id }, query: { limit: 200 }, signal }),
  });

export const useAlertConfigs = () =>
  useQuery({ queryKey: ['alert-configs'], queryFn: ({ signal }) => call('GET /api/v1/alert-configs', { signal }) });

export const useEvents = (query: Query<'GET /api/v1/events'>, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: ['events', query],
    queryFn: ({ signal }) => call('GET /api/v1/events', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

export type Event = ReturnType<typeof withPayload>;

/** A payload that is not there, or that the server cannot read, is shown as an empty one. */
const withPayload = (event: Schemas['Event']) => ({ ...event, headers: event.headers ?? {}, header_list: event.header_list ?? [], body: event.body ?? '' });

/** An event without its payload, so that following its deliveries stays cheap. */
export const useEvent = (id: string | undefined) =>
  useQuery({
    queryKey: ['events', id],
    queryFn: ({ signal }) => call('GET /api/v1/events/{id}', { path: { id: id ?? '' }, query: { payload: 'false' }, signal }),
    select: withPayload,
    enabled: id !== undefined,
    // Polls while a delivery is unfinished.
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some((one) => one.status === 'pending' || one.status === 'delivering') ? 2_000 : false,
  });

/** Larger bodies are loaded and drawn only on request. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** An event with its payload, which never changes. */
const wholeEvent = (id: string) => ({
  queryKey: ['whole-event', id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /api/v1/events/{id}', { path: { id }, signal }),
  staleTime: Infinity,
});

export const useWholeEvent = (id: string | undefined, isEnabled = true) =>
  useQuery({ ...wholeEvent(id ?? ''), select: withPayload, enabled: id !== undefined && isEnabled });

export async function readWholeEvent(id: string): Promise<Event> {
  return withPayload(await queryClient.fetchQuery(wholeEvent(id)));
}

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ signal }) => call('GET /api/v1/deliveries/{id}', { path: { id }, signal }),
  });

export const useDeliveries = (query: Query<'GET /api/v1/deliveries'>, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: ['deliveries', 'list', query],
    queryFn: ({ signal }) => call('GET /api/v1/deliveries', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** What an attempt sent never changes. */
export const useSentRequest = (id: string, number: number) =>
  useQuery({
    queryKey: ['sent', id, number],
    queryFn: ({ signal }) => call('GET /api/v1/deliveries/{id}/attempts/{number}/request', { path: { id, number: String(number) }, signal }),
    staleTime: Infinity,
  });

/** What resending the event on the connection would send now. */
export const useResendPreview = (event: string, connection: string) =>
  useQuery({
    queryKey: ['preview', event, connection],
    queryFn: ({ signal }) => call('POST /api/v1/connections/preview', { body: { connection_id: connection, event_id: event }, signal }),
  });

/** Each takes half a second at most, so this is what somebody waits for. */
const MAX_GROUP_CONTINUATIONS = 20;

export const useFailureGroups = (query: Query<'GET /api/v1/dlq/groups'> = {}) =>
  useQuery({
    queryKey: ['dlq', 'groups', query],
    queryFn: async ({ signal }) => {
      let page = await call('GET /api/v1/dlq/groups', { query: { limit: 200, ...query }, signal });
      // The newest may all be resolved: looks on until a group is found.
      let continuations = 0;
      for (; page.items.length === 0 && page.next_cursor && continuations < MAX_GROUP_CONTINUATIONS; continuations++) {
        page = await call('GET /api/v1/dlq/groups', { query: { limit: 200, ...query, cursor: page.next_cursor }, signal });
      }
      return { ...page, continuations };
    },
    placeholderData: keepPreviousData,
    // Seconds of the server's work are not repeated as often as one quick look.
    refetchInterval: (groups) => ((groups.state.data?.continuations ?? 0) > 0 ? 300_000 : 15_000),
  });

export const useDeadLetters = (query: Query<'GET /api/v1/dlq'>, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: ['dlq', 'list', query],
    queryFn: ({ signal }) => call('GET /api/v1/dlq', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** How many deliveries a resend of these dead letters would make. The server counts for up to five seconds. */
export const useResendCount = (filter: Filter) =>
  useQuery({
    queryKey: ['dlq', 'resend-count', filter],
    queryFn: ({ signal }) => call('POST /api/v1/dlq/resend', { body: { ...filter, dry_run: true }, signal }),
  });

const REPLAY_MILLISECONDS = 1_000;

export const useReplays = (page: number) =>
  useQuery({
    queryKey: ['replays', page],
    queryFn: ({ signal }) => call('GET /api/v1/replays', { query: { page, limit: 50 }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some((one) => one.status === 'running') ? REPLAY_MILLISECONDS : 15_000),
  });

export const useReplay = (id: string) =>
  useQuery({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v1/replays/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? REPLAY_MILLISECONDS : state.data?.status === 'paused' ? 15_000 : false),
  });

export const useApiKeys = () =>
  useQuery({ queryKey: ['api-keys'], queryFn: ({ signal }) => call('GET /api/v1/api-keys', { signal }) });

export const useSessions = () =>
  useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => call('GET /api/v1/auth/sessions', { signal }) });

export const useMembers = (id: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['members', id],
    queryFn: ({ signal }) => call('GET /api/v1/workspaces/{id}/members', { path: { id }, signal }),
    enabled: isEnabled,
  });

export const useInvites = (id: string, isEnabled: boolean) =>
  useQuery({
    queryKey: ['invites', id],
    queryFn: ({ signal }) => call('GET /api/v1/workspaces/{id}/invites', { path: { id }, signal }),
    enabled: isEnabled,
  });

export const usePlans = () =>
  useQuery({ queryKey: ['plans'], queryFn: ({ signal }) => call('GET /api/v1/plans', { signal }), staleTime: 600_000 });

export const useUsage = () =>
  useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => call('GET /api/v1/usage', { signal }), refetchInterval: 15_000 });

export const useAuditLog = (query: Query<'GET /api/v1/audit-log'>, isEnabled: boolean) =>
  useQuery({
    queryKey: ['audit-log', query],
    queryFn: ({ signal }) => call('GET /api/v1/audit-log', { query, signal }),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  });

/** A window such as `24h` that ends now. */
const since = (window: string): { received_after: string } => ({ received_after: windowStart(window, serverNow()) });
const STATS_MILLISECONDS = 15_000;
/** The overview's lists show fewer rows; "Needs attention" uses all of them. */
const STATS_ROWS = 200;

export const useStatsOverview = (window: string) =>
  useQuery({
    queryKey: ['stats', 'overview', window],
    queryFn: ({ signal }) => call('GET /api/v1/stats/overview', { query: since(window), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MILLISECONDS,
  });

/** The counts of one destination over the last day. */
export const useDestinationStats = (id: string) =>
  useQuery({
    queryKey: ['stats', 'destination', id],
    queryFn: ({ signal }) => call('GET /api/v1/stats/overview', { query: { ...since('24h'), destination_ids: id }, signal }),
    refetchInterval: STATS_MILLISECONDS,
  });

/** The counts of these destinations over the last day, by their ids. A destination without deliveries in it is missing. */
export const useStatsOfDestinations = (ids: string[]) =>
  useQuery({
    queryKey: ['stats', 'destinations', ids],
    queryFn: async ({ signal }) => {
      const { items } = await call('GET /api/v1/stats/by-destination', { query: { ...since('24h'), destination_ids: ids.join(), limit: STATS_ROWS }, signal });
      return new Map(items.map((one) => [one.destination_id, one]));
    },
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
    refetchInterval: STATS_MILLISECONDS,
  });

/** How long counts of a past window are taken as current. */
const PAST_MILLISECONDS = 300_000;

/** The counts of a past window, to compare the current ones with. */
export const useStatsBefore = (past: Schemas['TimeWindow'] | undefined) =>
  useQuery({
    queryKey: ['past-stats', 'overview', past],
    queryFn: ({ signal }) => call('GET /api/v1/stats/overview', { query: { received_after: past?.after, received_before: past?.before }, signal }),
    enabled: past !== undefined,
    staleTime: PAST_MILLISECONDS,
  });

export const useStatsBySourceBefore = (past: Schemas['TimeWindow'] | undefined) =>
  useQuery({
    queryKey: ['past-stats', 'by-source', past],
    queryFn: ({ signal }) => call('GET /api/v1/stats/by-source', { query: { received_after: past?.after, received_before: past?.before, limit: STATS_ROWS }, signal }),
    enabled: past !== undefined,
    staleTime: PAST_MILLISECONDS,
  });

export const useStatsBySource = (window: string) =>
  useQuery({
    queryKey: ['stats', 'by-source', window],
    queryFn: ({ signal }) => call('GET /api/v1/stats/by-source', { query: { ...since(window), limit: STATS_ROWS }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MILLISECONDS,
  });

export const useVolumeBySource = (window: string) =>
  useQuery({
    queryKey: ['stats', 'volume-by-source', window],
    queryFn: ({ signal }) => call('GET /api/v1/stats/volume-by-source', { query: { ...since(window), limit: STATS_ROWS }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MILLISECONDS,
  });

export const useStatsByDestination = (window: string) =>
  useQuery({
    queryKey: ['stats', 'by-destination', window],
    queryFn: ({ signal }) => call('GET /api/v1/stats/by-destination', { query: { ...since(window), limit: STATS_ROWS }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MILLISECONDS,
  });

export const useRefusals = (id: string, page: number, limit: number, window: string, after: () => string) =>
  useQuery({
    queryKey: ['sources', id, 'refusals', window, page],
    queryFn: ({ signal }) => call('GET /api/v1/sources/{id}/refusals', { path: { id }, query: { received_after: after(), page, limit }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: STATS_MILLISECONDS,
  });
