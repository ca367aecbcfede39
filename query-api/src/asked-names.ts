/** Names in a question: those that are none are refused with the ones there are, rather than passed over. */
import { Refusal } from '@rdm/contracts';

const TOLD_MAX = 50;

/** The names there are, in words that fit into a sentence. */
export const oneOf = (names: readonly string[]): string =>
  names.length > TOLD_MAX ? `${names.slice(0, TOLD_MAX).join(', ')} …` : names.join(', ');

/** The names that `fields` lists, each once, in its order; undefined where it lists none: then all are meant. */
export function fieldsAsked<Name extends string>(text: string | undefined, known: readonly Name[]): Name[] | undefined {
  const wanted = new Set(text?.split(',').flatMap((name) => name.trim() || []));
  if (wanted.size === 0) return undefined;
  return [...wanted].map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Refusal('INVALID', `There is no field “${name}” to show: name ${oneOf(known)}`);
    return found;
  });
}
