/** Describes the changes of roles, group members and grants in an entry of the audit log. */
import type { AuditLogView } from '@rdm/contracts/audit/audit-log-view';
import { usePeople } from '../../../lib/auth/people.ts';

type Changes = Pick<AuditLogView, 'roleChange' | 'groupChange' | 'permissionChange'>;
interface Grantee {
  entityType: 'user' | 'group';
  entityId: number;
  permissionLevel?: string;
}

const grantees = (changes: Changes, side: 'granted' | 'revoked'): readonly Grantee[] =>
  (changes.permissionChange?.[side] as Grantee[] | undefined) ?? [];

const permissionNames = (changes: Changes, property: 'routes' | 'abilities') =>
  changes.permissionChange?.[property] as string[] | undefined;

/** The changes of an entry as labelled texts; empty if the entry changed no roles, groups or grants. */
export function useAccessChanges(changes: Changes): readonly { label: string; value: string }[] {
  const granted = grantees(changes, 'granted');
  const revoked = grantees(changes, 'revoked');
  const { added = [], removed = [] } = changes.groupChange ?? {};
  const userIds = [...granted, ...revoked].flatMap((each) => (each.entityType === 'user' ? [each.entityId] : []));
  const nameOf = usePeople([...added, ...removed, ...userIds]);
  const granteeText = ({ entityType, entityId, permissionLevel }: Grantee) =>
    `${entityType === 'user' ? nameOf(entityId) : `Group ${entityId}`}${permissionLevel === undefined ? '' : ` (${permissionLevel})`}`;
  const facts: { label: string; value: string }[] = [];
  const addFact = (label: string, values: readonly string[]) => {
    if (values.length > 0) facts.push({ label, value: values.join(', ') });
  };
  if (changes.roleChange !== null)
    addFact('Role assigned', [changes.roleChange.name ?? `Role ${changes.roleChange.roleId}`]);
  addFact('Members added', added.map(nameOf));
  addFact('Members removed', removed.map(nameOf));
  addFact('Levels granted', granted.map(granteeText));
  addFact('Levels revoked', revoked.map(granteeText));
  const routes = permissionNames(changes, 'routes');
  if (routes !== undefined) addFact('Pages', routes.length === 0 ? ['none'] : routes);
  const abilities = permissionNames(changes, 'abilities');
  if (abilities !== undefined) addFact('Abilities', abilities.length === 0 ? ['none'] : abilities);
  return facts;
}
