/** The scopes in a form, by collection, and their labels. */

import { KEY_SCOPES, type KeyScope, type KeyScopeName } from '@rdm/contracts/access/api-key-actor';
import type { ApiKeyView } from '@rdm/contracts/identity/api-keys';

export type ChosenScopes = ReadonlyMap<number, ReadonlySet<KeyScopeName>>;

/** Adds or removes a scope. A collection without scopes is removed. */
export function withScope(chosen: ChosenScopes, id: number, scope: KeyScopeName, isOn: boolean): ChosenScopes {
  const scopes = new Set(chosen.get(id));
  if (isOn) scopes.add(scope);
  else scopes.delete(scope);
  const next = new Map(chosen);
  if (scopes.size === 0) next.delete(id);
  else next.set(id, scopes);
  return next;
}

/** Whether another checked scope includes the scope: write includes read. */
export const isIncluded = (scopes: ReadonlySet<KeyScopeName> | undefined, scope: KeyScopeName): boolean =>
  scope === 'read' && scopes?.has('write') === true;

/** The scopes for the request that creates the key, without scopes that another checked scope includes. */
export const asScopes = (chosen: ChosenScopes): KeyScope[] =>
  [...chosen].flatMap(([collectionId, scopes]) =>
    KEY_SCOPES.filter((scope) => scopes.has(scope) && !isIncluded(scopes, scope)).map((scope) => ({
      collectionId,
      scope,
    })),
  );

export interface ScopesOfCollection {
  collectionId: number;
  name: string;
  scopes: KeyScopeName[];
}

/** The scopes of a key, grouped by collection. */
export function byCollection(scopes: ApiKeyView['scopes']): ScopesOfCollection[] {
  const grouped = new Map<number, ScopesOfCollection>();
  for (const { collectionId, collectionName, scope } of scopes) {
    const group = grouped.get(collectionId);
    if (group) group.scopes.push(scope);
    else grouped.set(collectionId, { collectionId, name: collectionName ?? 'Deleted collection', scopes: [scope] });
  }
  return [...grouped.values()];
}

export const scopeText = (scopes: ApiKeyView['scopes']): string =>
  byCollection(scopes)
    .map(({ name, scopes: scopeNames }) => `${name}: ${scopeNames.join(', ')}`)
    .join('; ');
