/** Shows a query's data, or why there is none. Old data stays while new data is on its way. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client';
import { Blank, Button, Skeleton } from './parts';

type GateProps<T> = {
  query: UseQueryResult<T>;
  /** What could not be loaded, such as "Events". */
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
};

export function Gate<T>({ query, what, rows, children }: GateProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && !(query.error instanceof ApiError && query.error.status === 404) && <StaleLine what={what} query={query} />}
        {children(query.data)}
      </>
    );
  }
  return query.isError ? <LoadError what={what} query={query} /> : <Skeleton rows={rows} />;
}

/** Shows its children once each query has an answer or has failed, so that nothing is pushed down by what comes later. */
export function Together({ queries, rows, children }: { queries: Pick<UseQueryResult<unknown>, 'data' | 'isError'>[]; rows?: number; children: ReactNode }) {
  return queries.every((one) => one.data !== undefined || one.isError) ? <>{children}</> : <Skeleton rows={rows} />;
}

function StaleLine({ what, query }: { what: string; query: UseQueryResult<unknown> }) {
  return (
    <div className="stale" role="status">
      {what} could not be refreshed. Showing older data. <button type="button" className="link" onClick={() => void query.refetch()}>Try again</button>
    </div>
  );
}

export function LoadError({ what, query }: { what: string; query: UseQueryResult<unknown> }) {
  const error = query.error;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Blank icon="ring" title="There is nothing here">
        It was deleted, or it belongs to another workspace.
      </Blank>
    );
  }
  if (error instanceof ApiError && error.status === 403) {
    return (
      <Blank icon="verified" title="Your role cannot see this">
        {error.message} An admin or owner of the workspace can change your role.
      </Blank>
    );
  }
  return (
    <Blank tone="failed" icon="unverified" title={`${what} could not be loaded`} action={<Button onClick={() => void query.refetch()}>Try again</Button>}>
      {error?.message} {error instanceof ApiError && error.status === 0 ? 'Webhooks may still arrive.' : ''}
    </Blank>
  );
}
