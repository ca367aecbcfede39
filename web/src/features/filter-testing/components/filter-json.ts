/** Converts a filter to JSON, and JSON to a filter or to the reason why the JSON is invalid. */
import { Filter, type FilterGroup } from '@rdm/contracts/lists/filter';

export const jsonOf = (filter: FilterGroup): string => JSON.stringify(filter, null, 2);

export type ParsedFilter = { filter: FilterGroup } | { problem: string };

export function readFilter(text: string): ParsedFilter {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const parsed = Filter.safeParse(json);
  if (parsed.success) return { filter: parsed.data };
  const [issue] = parsed.error.issues;
  const location = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  return { problem: `The filter is invalid${location}: ${issue?.message ?? 'the properties do not match'}` };
}
