/** Lists of grants as the permissions page changes them: pure, so that a change can be made to a newer list, too. */
import type { Grant } from '@rdm/contracts/access/access';
import { hasLevel, type Level } from '@rdm/contracts/access/permissions';

type Grantee = Pick<Grant, 'entityType' | 'entityId'>;

export const keyOf = ({ entityType, entityId }: Grantee): string => `${entityType}:${entityId}`;

/** What one person does to the list. */
export type GrantChange = (grants: readonly Grant[]) => Grant[];

const plain = ({ entityType, entityId, permissionLevel }: Grant): Grant => ({ entityType, entityId, permissionLevel });

export const granting =
  (grantee: Grantee, permissionLevel: Level): GrantChange =>
  (grants) => [
    ...grants.filter((grant) => keyOf(grant) !== keyOf(grantee)).map(plain),
    { entityType: grantee.entityType, entityId: grantee.entityId, permissionLevel },
  ];

export const revoking =
  (grantee: Grantee): GrantChange =>
  (grants) =>
    grants.filter((grant) => keyOf(grant) !== keyOf(grantee)).map(plain);

/** Adds what others have elsewhere; nobody loses a level that they have here. */
export const copying =
  (from: readonly Grant[]): GrantChange =>
  (grants) => {
    const levels = new Map(grants.map((grant) => [keyOf(grant), plain(grant)]));
    for (const grant of from) {
      const held = levels.get(keyOf(grant));
      if (!held || !hasLevel(held.permissionLevel, grant.permissionLevel)) levels.set(keyOf(grant), plain(grant));
    }
    return [...levels.values()];
  };

export interface GrantDifference<G extends Grant> {
  grant: G;
  /** Null for one that was not there. */
  before: Level | null;
  /** Null for one that is gone. */
  after: Level | null;
}

/** What differs between two lists, in the order of the later one. */
export function differences<G extends Grant>(before: readonly G[], after: readonly G[]): GrantDifference<G>[] {
  const levelIn = (grants: readonly G[], grant: G) =>
    grants.find((other) => keyOf(other) === keyOf(grant))?.permissionLevel ?? null;
  const gone = before.filter((grant) => levelIn(after, grant) === null);
  return [...after, ...gone]
    .map((grant) => ({ grant, before: levelIn(before, grant), after: levelIn(after, grant) }))
    .filter((difference) => difference.before !== difference.after);
}
