/** What somebody saw decides: an edit made on an older revision is refused, and told what is there now. */
import { Refusal } from '@rdm/contracts';

/** The revision a request names in `If-Match`, as a command's input holds it. */
export const expectedRevisionOf = ({ ifMatch }: { ifMatch: number | undefined }): { seen?: number } =>
  ifMatch === undefined ? {} : { seen: ifMatch };

/** The entity, if it is as it was seen; `shown` is what the refusal shows of it. */
export function requireExpectedRevision<Entity extends { revision: number }>(
  entity: Entity,
  seen: number | undefined,
  what: string,
  shown: unknown = entity,
): Entity {
  if (seen === undefined || seen === entity.revision) return entity;
  throw new Refusal('STALE', `Somebody else changed this ${what} meanwhile`, { current: shown });
}
