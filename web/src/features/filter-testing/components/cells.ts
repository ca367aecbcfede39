/** Converts rows of any list to columns of text. Each field of an instance gets a column of its own. */

/** Returns the columns in the order of their first occurrence, and the cells of each row. */
export function cellsOf(items: readonly Record<string, unknown>[]): { columns: string[]; rows: string[][] } {
  const flat = items.map(({ data, ...row }) =>
    typeof data === 'object' && data !== null && !Array.isArray(data)
      ? { ...row, ...(data as Record<string, unknown>) }
      : { ...row, ...(data === undefined ? {} : { data }) },
  );
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  return {
    columns,
    rows: flat.map((row) => columns.map((column) => textOf((row as Record<string, unknown>)[column]))),
  };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
