/** Derives the refusals of a route from its declaration and its listed errors. */
import { API_KEY_ROUTES, hasLevel, permissionOf, REFUSAL_STATUS, type RefusalCode } from '@rdm/contracts';
import type { Route, RouteAccess } from '@rdm/platform';

/** Whether a route accepts API keys with suitable scopes. */
export function acceptsApiKeys(access: RouteAccess): boolean {
  if ('route' in access) return API_KEY_ROUTES.some((route) => route === permissionOf(access.route));
  if ('signedIn' in access) return true;
  // The highest level that a scope grants is WRITE.
  return 'level' in access && access.level !== undefined && !('ability' in access) && hasLevel('WRITE', access.level);
}

const COMMAND_ERRORS: readonly RefusalCode[] = [
  'CONFLICT',
  'DELETED',
  'IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
  'STALE',
];

export function errorsOf(route: Route, isCommand: boolean): RefusalCode[] {
  const { method, path, access, limit, body, document } = route;
  const isPublic = 'public' in access;
  const isAllowedBeforePasswordChange = 'person' in access && access.beforePasswordChange === true;
  const hasEntity = path.includes('/:') || (!isPublic && 'level' in access);
  const codes = new Set<RefusalCode>([
    'INVALID',
    'TOO_MANY_REQUESTS',
    'UNAVAILABLE',
    'STARTING',
    ...(document.errors ?? []),
  ]);
  const add = (condition: boolean, ...added: RefusalCode[]) => {
    if (condition) for (const code of added) codes.add(code);
  };
  add(!isPublic, 'UNAUTHENTICATED', 'SESSION_UNKNOWN', 'FORBIDDEN');
  add(!isPublic && !isAllowedBeforePasswordChange, 'PASSWORD_CHANGE_REQUIRED');
  add(method !== 'get', 'ORIGIN');
  add(hasEntity, 'NOT_FOUND', 'BEHIND');
  add(method === 'get' && !isPublic, 'BEHIND');
  add(body !== undefined || limit === 'stream', 'TOO_LARGE', 'UNSUPPORTED_MEDIA');
  add(isCommand && !isPublic, ...COMMAND_ERRORS);
  add(isCommand && hasEntity, 'PURGED');
  return [...codes].sort();
}

/** Groups refusal codes by HTTP status. */
export function byStatus(codes: readonly RefusalCode[]): Map<number, RefusalCode[]> {
  const statuses = new Map<number, RefusalCode[]>();
  for (const code of codes) statuses.set(REFUSAL_STATUS[code], [...(statuses.get(REFUSAL_STATUS[code]) ?? []), code]);
  return new Map([...statuses].sort(([a], [b]) => a - b));
}
