/**
 * Server-side filters for reads of `$all`, by prefixes or a regular expression on the stream name or the event type.
 */

import type { EventIndex } from '../storage/index/event-index.ts';
import { invalidArgument } from './errors.ts';
import type { FilterOptions } from './protocol.ts';

/** Whether the event with this ordinal matches the filter. */
export type EventFilter = (ordinal: number) => boolean;

export function eventFilter(options: FilterOptions, index: EventIndex): EventFilter {
  const byStream = options.filter === 'streamIdentifier';
  const expression = byStream ? options.streamIdentifier : options.eventType;
  if (expression === null) throw invalidArgument('A filter needs an expression on the stream name or the event type');
  const matches = expression.regex === '' ? startsWithAny(expression.prefix) : regexTest(expression.regex);
  return byStream ? index.streamTest(matches) : index.typeTest(matches);
}

function startsWithAny(prefixes: readonly string[]): (name: string) => boolean {
  return (name) => prefixes.some((prefix) => name.startsWith(prefix));
}

function regexTest(source: string): (name: string) => boolean {
  try {
    const expression = new RegExp(source);
    return (name) => expression.test(name);
  } catch (error) {
    throw invalidArgument(`The filter's regular expression is not valid: ${String(error)}`);
  }
}
