/** Calls the public API with the browser's session. Types come from the server's OpenAPI document (schema.d.ts). */
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

type Methods = 'get' | 'post' | 'patch' | 'delete' | 'put';

/** An operation of the document, such as `GET /api/v1/sources/{id}`. */
export type Operation = {
  [P in keyof paths & string]: {
    [M in Methods & keyof paths[P]]: [paths[P][M]] extends [undefined] ? never : `${Uppercase<M>} ${P}`;
  }[Methods & keyof paths[P]];
}[keyof paths & string];

type Definition<O extends Operation> = O extends `${infer M} ${infer P}`
  ? P extends keyof paths
    ? Lowercase<M> extends keyof paths[P]
      ? NonNullable<paths[P][Lowercase<M>]>
      : never
    : never
  : never;

type JsonOf<T> = T extends { content: { 'application/json': infer J } } ? J : never;

type Responses<D> = D extends { responses: infer R } ? R : never;

/** What an operation returns when it succeeds. */
export type Answer<O extends Operation> =
  | JsonOf<Pick<Responses<Definition<O>>, 200 & keyof Responses<Definition<O>>>[200 & keyof Responses<Definition<O>>]>
  | JsonOf<Pick<Responses<Definition<O>>, 201 & keyof Responses<Definition<O>>>[201 & keyof Responses<Definition<O>>]>;

type QueryParameters<D> = D extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

/** Query parameters that an operation has. Their values are checked by the server. */
export type Query<O extends Operation = Operation> = [QueryParameters<Definition<O>>] extends [never]
  ? Record<string, never>
  : { [K in keyof QueryParameters<Definition<O>>]?: string | number | undefined };

export type CallOptions<O extends Operation = Operation> = {
  path?: Record<string, string>;
  query?: Query<O>;
  /** Sent as JSON. */
  body?: unknown;
  /** JSON text that is sent unchanged, because parsing it would round its numbers. */
  rawBody?: string;
  signal?: AbortSignal;
};

export type FieldError = { field: string; message: string };

/** An error response, or no response at all (`status` 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: FieldError[] = [],
    readonly requestId: string | null = null,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

const root = document.documentElement.dataset.root ?? './';

/** The path of the dashboard's root without a trailing slash: empty, or the prefix that a proxy adds. */
export const BASE_PATH = (import.meta.env.DEV ? '/' : new URL(root, location.href).pathname).replace(/\/$/, '');

/** The absolute URL of a path on this server. */
export function serverUrl(path: string): string {
  return location.origin + BASE_PATH + path;
}

const WORKSPACE_IN_PATH = /^\/w\/([^/]+)/;

/** The workspace that an address below the dashboard's root names, or undefined if it names none. */
export function workspaceOf(path: string): string | undefined {
  return WORKSPACE_IN_PATH.exec(path)?.[1];
}

/** The workspace that the address of this page names. Every request is for this one, whichever other tabs show. */
export function pageWorkspace(): string | undefined {
  return workspaceOf(location.pathname.slice(BASE_PATH.length));
}

/** The address of a page. Without a workspace, the server's choice is shown. */
export function pageAddress(path: string, workspace = pageWorkspace()): string {
  return BASE_PATH + (workspace === undefined ? '' : `/w/${workspace}`) + path;
}

/** Shows another workspace. Its page is loaded anew, so nothing that this one shows or still does can end up there. */
export function openWorkspace(workspace?: string) {
  location.assign(workspace === undefined ? `${BASE_PATH}/` : pageAddress('/', workspace));
}

/** The server's clock minus the browser's, in milliseconds, from the last `Date` header, which has whole seconds. */
let offset = 0;

export function serverNow(): number {
  return Date.now() + offset;
}

function noteServerTime(date: string | null) {
  const time = date === null ? NaN : Date.parse(date);
  // Differences this small come from rounding to seconds and from the network.
  if (!Number.isNaN(time)) offset = Math.abs(time - Date.now()) > 2000 ? time - Date.now() : 0;
}

export function pathOf<O extends Operation>(operation: O, options: CallOptions<NoInfer<O>>): string {
  const [, template = ''] = operation.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function send<O extends Operation>(operation: O, options: CallOptions<NoInfer<O>>): Promise<Response> {
  const [method = 'GET'] = operation.split(' ');
  const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const workspace = pageWorkspace();
  let response: Response;
  try {
    response = await fetch(BASE_PATH + pathOf(operation, options), {
      method,
      body,
      signal: options.signal,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(workspace === undefined ? {} : { 'X-Sluice-Workspace': workspace }),
      },
      credentials: 'same-origin',
    });
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new ApiError(0, 'unreachable', 'The server did not answer.');
  }
  noteServerTime(response.headers.get('Date'));
  if (!response.ok) throw await toError(response);
  return response;
}

/** Calls an operation and parses its response. */
export async function call<O extends Operation>(operation: O, options: CallOptions<NoInfer<O>> = {}): Promise<Answer<O>> {
  const response = await send(operation, options);
  return (response.status === 204 ? undefined : await response.json()) as Answer<O>;
}

/** Calls an operation whose response contains users' own JSON. Returns text, so that numbers keep their form. */
export async function callText<O extends Operation>(operation: O, options: CallOptions<NoInfer<O>> = {}): Promise<string> {
  return (await send(operation, options)).text();
}

/** Returns why the server refuses an operation whose response never ends, or null if it accepts. */
export async function refusalOf<O extends Operation>(operation: O, options: CallOptions<NoInfer<O>> = {}): Promise<ApiError | null> {
  const abort = new AbortController();
  try {
    await send(operation, { ...options, signal: abort.signal });
    return null;
  } catch (e) {
    return e as ApiError;
  } finally {
    abort.abort();
  }
}

async function toError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('Retry-After'));
  let code = 'internal_error';
  let message = `The server answered ${response.status}.`;
  let details: FieldError[] = [];
  try {
    const { error } = (await response.json()) as Schemas['Error'];
    code = error.code;
    message = error.message;
    details = error.details ?? [];
  } catch {
    // Not our error format, so a proxy answered. Only the status is known.
  }
  return new ApiError(
    response.status,
    code,
    message,
    details,
    response.headers.get('X-Request-Id'),
    retryAfter > 0 ? retryAfter : null,
  );
}
