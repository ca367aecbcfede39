/** Routes requests: reads to query-api, writes to command-api, pages to the web app; refuses internal paths. */

export type Backend = 'command-api' | 'query-api';

/** `nowhere` means that the request is refused. */
export type Destination = Backend | 'web-app' | 'nowhere';

/** POST requests for query-api: reads whose parameters are too long for a URL, and the creation of selections. */
const READING_POSTS = [
  /^\/api\/reference-data\/[^/]+\/instances\/(?:deletion-impact|paste-preview)$/,
  /^\/api\/reference-(?:data|types)\/[^/]+\/schema-preview$/,
  /^\/api\/crosswalks\/[^/]+\/translate$/,
  /^\/api\/approvals\/impact$/,
  /^\/api\/selections$/,
  /^\/api\/filter-test$/,
];

/** GET and HEAD requests for command-api: previews of commands, which read the log and not the read models. */
const COMMAND_SIDE_GETS = [/^\/api\/jobs\/[^/]+\/undo$/];

/** Returns the destination of a request; `target` is the path with the query. */
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

/** Returns the destination of a WebSocket: pages open one for live messages, and systems one for the change feed. */
export function upgradeDestinationOf(target: string): Backend | 'nowhere' {
  const path = pathOf(target);
  return path.startsWith('/socket.io/') || path === '/api/changes/ws' ? 'query-api' : 'nowhere';
}

/** Returns the socket.io session of a request; undefined if the request opens a session or is not for socket.io. */
export function sessionIn(target: string): string | undefined {
  if (!target.startsWith('/socket.io/')) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('sid') ?? undefined;
}

export function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
