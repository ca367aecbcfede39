/** Which declared route a request is for: held against the few whose paths begin as its own does, not against all of them. */

export interface Routed<Entry> {
  entry: Entry;
  params: Record<string, string>;
}

/** Undefined where no route matches; throws a URIError for a path that cannot be decoded. */
export type RouteTable<Entry> = (method: string, path: string) => Routed<Entry> | undefined;

/** The first two words of a path: `/api/crosswalks`. */
const beginningOf = (path: string): string => path.split('/', 3).join('/').toLowerCase();

/** `/api/crosswalks/:id`, with or without a slash at its end, in whatever case. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`, 'i');

/** Routes in their order: the first that matches answers. HEAD is answered where GET is. */
export function routeTable<Entry extends { method: string; path: string }>(
  entries: readonly Entry[],
): RouteTable<Entry> {
  const alike = new Map<string, { entry: Entry; pattern: RegExp }[]>();
  for (const entry of entries) {
    const beginning = beginningOf(entry.path);
    if (!/^(\/:?[\w-]+)+$/.test(entry.path) || beginning.includes(':')) {
      throw new Error(`${entry.path} is no path of words that begins with two of them`);
    }
    const others = alike.get(beginning) ?? [];
    alike.set(beginning, others);
    others.push({ entry, pattern: patternOf(entry.path) });
  }
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'get' : asked.toLowerCase();
    for (const { entry, pattern } of alike.get(beginningOf(path)) ?? []) {
      const found = entry.method === method ? pattern.exec(path) : null;
      if (found) return { entry, params: decoded(found.groups) };
    }
    return undefined;
  };
}

const decoded = (groups: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
