/** Specifies which names a field of a reference type may have. */
import { describe, expect, it } from 'vitest';
import { ChangeSchema, DefineReferenceType } from './reference-types.ts';

describe('the name of a field', () => {
  const schemas = (name: string) => [{ name, dataType: 'string', isPrimaryKey: true }];
  const acceptances = (name: string) => [
    DefineReferenceType.safeParse({ name: 'Country', schemas: schemas(name) }).success,
    ChangeSchema.safeParse({ schemas: schemas(name) }).success,
  ];
  it('may be the name of a property of every object, such as “constructor”, but not blank and not “__proto__”', () => {
    for (const name of ['code', 'constructor', 'ISO 3166-1', '名']) expect(acceptances(name)).toEqual([true, true]);
    for (const name of ['', ' ', '__proto__', ' __proto__ ']) expect(acceptances(name)).toEqual([false, false]);
  });
});
