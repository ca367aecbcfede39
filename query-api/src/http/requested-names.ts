/** Parses lists of names in query parameters. Refuses unknown names; the message lists the known names. */
import { Refusal } from '@rdm/contracts';

const LISTED_MAX = 50;

/** Returns the names as a text for a message: the first `LISTED_MAX`, then an ellipsis if there are more. */
export const nameList = (names: readonly string[]): string =>
  names.length > LISTED_MAX ? `${names.slice(0, LISTED_MAX).join(', ')} …` : names.join(', ');

/**
 * Returns the names in `fields`, each once, in the order of the parameter; undefined for an empty list, which means all
 * names. A name may contain commas: if several known names match, the longest is used.
 */
export function requestedFields<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
): Name[] | undefined {
  const parts = text?.split(',') ?? [];
  const byName = new Map(known.map((name) => [name as string, name]));
  const partsMax = Math.max(1, ...known.map((name) => name.split(',').length));
  const wanted = new Set<Name>();
  for (let at = 0; at < parts.length; ) {
    const nameUpTo = (end: number) => byName.get(parts.slice(at, end).join(',').trim());
    let end = Math.min(at + partsMax, parts.length);
    while (end > at + 1 && nameUpTo(end) === undefined) end -= 1;
    const match = nameUpTo(end);
    const part = parts[at]?.trim();
    if (match !== undefined) wanted.add(match);
    else if (part) throw new Refusal('INVALID', `There is no field “${part}” to show. Use one of: ${nameList(known)}`);
    at = end;
  }
  return wanted.size === 0 ? undefined : [...wanted];
}

/** Returns the names in `include`. Refuses a repeated name. */
export function requestedIncludes<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] {
  const wanted: Name[] = [];
  for (const part of (text ?? '').split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const match = known.find((name) => name === part);
    if (match === undefined) {
      throw new Refusal('INVALID', `There is no “${part}” to include. Use one of: ${nameList(known)}`);
    }
    if (wanted.includes(match)) throw new Refusal('INVALID', `“${match}” is in include twice: name it once`);
    wanted.push(match);
  }
  return wanted;
}
