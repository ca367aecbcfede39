/** Routes requests: reads to query-api, writes to command-api, internal paths nowhere. */

export type Backend = 'command-api' | 'query-api';

/** Where a request is sent: to a service, to the built web app, or nowhere. */
export type Destination = Backend | 'web-app' | 'nowhere';

/** POSTs that only read: their parameters do not fit into an address. */
const READING_POSTS = [
  /^\/api\/reference-data\/[^/]+\/instances\/(?:deletion-impact|paste-preview)$/,
  /^\/api\/reference-(?:data|types)\/[^/]+\/schema-preview$/,
  /^\/api\/crosswalks\/[^/]+\/translate$/,
  /^\/api\/approvals\/impact$/,
  /^\/api\/selections$/,
  /^\/api\/filter-test$/,
];

/** GETs that command-api answers, because they preview a command and read the log like it. */
const COMMAND_SIDE_GETS = [/^\/api\/jobs\/[^/]+\/undo$/];

/** `target` is the request's target: a path with its query. */
export function destinationOf(method: string, target: string): Destination {
  const path = pathOf(target);
  if (path === '/api' || path.startsWith('/api/')) {
    if (method === 'GET' || method === 'HEAD') {
      return COMMAND_SIDE_GETS.some((pattern) => pattern.test(path)) ? 'command-api' : 'query-api';
    }
    return method === 'POST' && READING_POSTS.some((pattern) => pattern.test(path)) ? 'query-api' : 'command-api';
  }
  if (path.startsWith('/socket.io/')) return 'query-api';
  if (path === '/metrics' || path === '/internal' || path.startsWith('/internal/')) return 'nowhere';
  return path.startsWith('/') ? 'web-app' : 'nowhere';
}

/** Routes WebSockets: the live messages of the pages and the change feed of systems. */
export function upgradeDestinationOf(target: string): Backend | 'nowhere' {
  const path = pathOf(target);
  return path.startsWith('/socket.io/') || path === '/api/changes/ws' ? 'query-api' : 'nowhere';
}

/** The socket.io session of a request; undefined for a request that opens one, and for all others. */
export function sessionIn(target: string): string | undefined {
  if (!target.startsWith('/socket.io/')) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('sid') ?? undefined;
}

export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
