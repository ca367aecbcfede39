/** Changes of lists of grants as pure functions, so that a change can be applied again to a newer list. */
import type { Grant } from '@rdm/contracts/access/access';
import { hasLevel, type Level } from '@rdm/contracts/access/permissions';

type Grantee = Pick<Grant, 'entityType' | 'entityId'>;

export const keyOf = ({ entityType, entityId }: Grantee): string => `${entityType}:${entityId}`;

/** A change by the user, as a function from the current grants to the changed grants. */
export type GrantChange = (grants: readonly Grant[]) => Grant[];

/** Returns a grant as the server accepts it, without the further fields of a view. */
const toGrant = ({ entityType, entityId, permissionLevel }: Grant): Grant => ({
  entityType,
  entityId,
  permissionLevel,
});

export const addGrant =
  (grantee: Grantee, permissionLevel: Level): GrantChange =>
  (grants) => [
    ...grants.filter((grant) => keyOf(grant) !== keyOf(grantee)).map(toGrant),
    { entityType: grantee.entityType, entityId: grantee.entityId, permissionLevel },
  ];

export const removeGrant =
  (grantee: Grantee): GrantChange =>
  (grants) =>
    grants.filter((grant) => keyOf(grant) !== keyOf(grantee)).map(toGrant);

/** Adds the grants of another list; existing levels are never lowered. */
export const copyGrants =
  (from: readonly Grant[]): GrantChange =>
  (grants) => {
    const grantsByKey = new Map(grants.map((grant) => [keyOf(grant), toGrant(grant)]));
    for (const grant of from) {
      const currentGrant = grantsByKey.get(keyOf(grant));
      if (!currentGrant || !hasLevel(currentGrant.permissionLevel, grant.permissionLevel))
        grantsByKey.set(keyOf(grant), toGrant(grant));
    }
    return [...grantsByKey.values()];
  };

export interface GrantDifference<G extends Grant> {
  grant: G;
  /** Null for a new grant. */
  before: Level | null;
  /** Null for a removed grant. */
  after: Level | null;
}

/** Returns the differences between two lists, in the order of the later list. Removed grants come last. */
export function differences<G extends Grant>(before: readonly G[], after: readonly G[]): GrantDifference<G>[] {
  const levelIn = (grants: readonly G[], grant: G) =>
    grants.find((other) => keyOf(other) === keyOf(grant))?.permissionLevel ?? null;
  const removed = before.filter((grant) => levelIn(after, grant) === null);
  return [...after, ...removed]
    .map((grant) => ({ grant, before: levelIn(before, grant), after: levelIn(after, grant) }))
    .filter((difference) => difference.before !== difference.after);
}
