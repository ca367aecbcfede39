/** Makes the names of columns unique: a repeated name gets a suffix such as "(2)", a missing name becomes "Column 3". */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((given, index) => {
    const name = given.replace(/\s+/g, ' ').trim() || `Column ${index + 1}`;
    let unique = name;
    for (let turn = 2; used.has(unique); turn++) unique = `${name} (${turn})`;
    used.add(unique);
    return unique;
  });
}
