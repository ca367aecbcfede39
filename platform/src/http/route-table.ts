/** Finds the declared route of a request among the routes with the same beginning and number of parts. */

interface DeclaredRoute {
  /** The method in lower case. */
  method: string;
  /** The path, such as `/api/things/:id`. Each part is a literal or the name of a parameter. */
  path: string;
}

export interface MatchedRoute<Route> {
  route: Route;
  params: Record<string, string>;
}

interface Part {
  index: number;
  text: string;
}

interface Pattern<Route> {
  route: Route;
  method: string;
  literals: Part[];
  params: Part[];
}

/** Returns the number of parts and the first two parts of a path. The first two parts of each route are literals. */
const groupKeyOf = (parts: readonly string[]): string => `${parts.length} ${parts[1]}/${parts[2]}`.toLowerCase();

function patternOf<Route extends DeclaredRoute>(route: Route): Pattern<Route> {
  const parts = route.path.split('/').map((text, index): Part => ({ index, text }));
  return {
    route,
    method: route.method,
    literals: parts
      .filter(({ text }) => !text.startsWith(':'))
      .map((part) => ({ ...part, text: part.text.toLowerCase() })),
    params: parts.filter(({ text }) => text.startsWith(':')).map((part) => ({ ...part, text: part.text.slice(1) })),
  };
}

/**
 * Returns a function that finds the first declared route of a method and a path. The case of literals and a trailing
 * slash are ignored. HEAD uses the routes of GET. The function throws a URIError if a parameter cannot be decoded.
 */
export function routeTable<Route extends DeclaredRoute>(
  routes: readonly Route[],
): (method: string, path: string) => MatchedRoute<Route> | undefined {
  const table = new Map<string, Pattern<Route>[]>();
  for (const route of routes) {
    const key = groupKeyOf(route.path.split('/'));
    table.set(key, [...(table.get(key) ?? []), patternOf(route)]);
  }
  return (method, path) => {
    const parts = path.split('/');
    if (parts.length > 2 && parts.at(-1) === '') parts.pop();
    const routeMethod = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const pattern of table.get(groupKeyOf(parts)) ?? []) {
      if (!fits(pattern, parts)) continue;
      const params: Record<string, string> = {};
      for (const { index, text } of pattern.params) params[text] = decodeURIComponent(parts[index] ?? '');
      if (pattern.method === routeMethod) return { route: pattern.route, params };
    }
    return undefined;
  };
}

const fits = ({ literals, params }: Pattern<unknown>, parts: readonly string[]): boolean =>
  literals.every(({ index, text }) => parts[index]?.toLowerCase() === text) &&
  params.every(({ index }) => parts[index] !== '');
