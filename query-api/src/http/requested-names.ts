/** Names in a question: those that are none are refused with the ones there are, rather than passed over. */
import { Refusal } from '@rdm/contracts';

const TOLD_MAX = 50;

/** The names there are, in words that fit into a sentence. */
export const oneOf = (names: readonly string[]): string =>
  names.length > TOLD_MAX ? `${names.slice(0, TOLD_MAX).join(', ')} …` : names.join(', ');

/**
 * The names that `fields` lists, each once, in its order; undefined where it lists none: then all are meant. A name may
 * hold commas itself: the longest one that is known is taken.
 */
export function fieldsAsked<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] | undefined {
  const parts = text?.split(',') ?? [];
  const byName = new Map(known.map((name) => [name as string, name]));
  const most = Math.max(1, ...known.map((name) => name.split(',').length));
  const wanted = new Set<Name>();
  for (let at = 0; at < parts.length; ) {
    const upTo = (end: number) => byName.get(parts.slice(at, end).join(',').trim());
    let end = Math.min(at + most, parts.length);
    while (end > at + 1 && upTo(end) === undefined) end -= 1;
    const found = upTo(end);
    const part = parts[at]?.trim();
    if (found !== undefined) wanted.add(found);
    else if (part) throw new Refusal('INVALID', `There is no field “${part}” to show: name ${oneOf(known)}`);
    at = end;
  }
  return wanted.size === 0 ? undefined : [...wanted];
}

/** The names that `include` lists, each at most once; none where it lists none. */
export function includesAsked<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] {
  const wanted: Name[] = [];
  for (const part of (text ?? '').split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const found = known.find((name) => name === part);
    if (found === undefined) {
      throw new Refusal('INVALID', `There is no “${part}” to include: name ${oneOf(known)}`);
    }
    if (wanted.includes(found)) throw new Refusal('INVALID', `“${found}” is to be included twice: name it once`);
    wanted.push(found);
  }
  return wanted;
}
