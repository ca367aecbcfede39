/** Optimistic concurrency: refuses a change based on an outdated revision. */
import { Refusal } from '@rdm/contracts';

/** The revision from the `If-Match` header; `seen` is its name in stored command inputs. */
export const expectedRevisionOf = ({ ifMatch }: { ifMatch: number | undefined }): { seen?: number } =>
  ifMatch === undefined ? {} : { seen: ifMatch };

/** Returns the entity. Throws STALE, with `current` in the details, if another revision is expected. */
export function requireExpectedRevision<Entity extends { revision: number }>(
  entity: Entity,
  expectedRevision: number | undefined,
  entityName: string,
  current: unknown = entity,
): Entity {
  if (expectedRevision === undefined || expectedRevision === entity.revision) return entity;
  throw new Refusal('STALE', `Another user changed this ${entityName} meanwhile`, { current });
}
