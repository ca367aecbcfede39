/** The sentences of facts that need more than a verb and the name of the entity. */
import { LOCK_AFTER_FAILURES } from '../constants.ts';
import { type PurgeKind, purgedSentence } from '../text/purge-kinds.ts';
import type { ActivityFact } from './activities.ts';
import {
  type DescribedActivity,
  entityText,
  firstOf,
  isSignUp,
  joinTexts,
  nameOf,
  number,
  quote,
  textOf,
  userName,
} from './sentence-words.ts';

interface Grantee {
  entityType: string;
  entityId: number;
  permissionLevel?: string;
}

type Special = (fact: ActivityFact, activity: DescribedActivity) => string | undefined;

const idsIn = (data: ActivityFact['data'], name: string): number[] =>
  Array.isArray(data[name]) ? (data[name] as number[]) : [];

const granteeName = ({ entityType, entityId }: Grantee, activity: DescribedActivity): string =>
  entityType === 'user' ? userName(entityId, activity) : `the group ${activity.names.groups[entityId] ?? entityId}`;

const dataSetNames = (fact: ActivityFact, { names }: DescribedActivity): string =>
  firstOf(idsIn(fact.data, 'dataSetIds').map((id) => names.dataSets[id] ?? `data set ${id}`));

const roleName = (fact: ActivityFact, { names }: DescribedActivity): string =>
  `the role ${names.roles[String(fact.data['roleId'])] ?? fact.data['roleId']}`;

const ofUser = (fact: ActivityFact, activity: DescribedActivity): string => `${userName(fact.entityId, activity)}'s`;
const isOwn = (fact: ActivityFact, { userId }: DescribedActivity): boolean => fact.entityId === userId;

const RESULT_WORDS: Readonly<Record<string, string>> = {
  INTACT: 'it is intact',
  DAMAGED: 'it is damaged',
  FAILED: 'it could not be verified',
};

const purgedItems = ({ data }: ActivityFact): string | undefined =>
  data['kind'] === undefined
    ? undefined
    : purgedSentence(data['kind'] as PurgeKind, (data['counts'] as { items?: number } | undefined)?.items ?? 0);

const reasonText = ({ data }: ActivityFact): string => {
  const reason = textOf(data['reason']);
  return reason === undefined ? '' : `: ${quote(reason)}`;
};

interface HeldScope {
  kind: 'dataSet' | 'collection' | 'user' | 'all';
  id: number;
}

function heldText(scope: HeldScope | undefined, activity: DescribedActivity): string {
  switch (scope?.kind) {
    case 'dataSet':
      return `the data set ${activity.names.dataSets[scope.id] ?? scope.id}`;
    case 'collection':
      return `collection ${scope.id}`;
    case 'user':
      return userName(scope.id, activity);
    default:
      return 'all data';
  }
}

export const SPECIAL_SENTENCES: Readonly<Record<string, Special>> = {
  CollectionPermissionsChanged(fact, activity) {
    const granted = (fact.data['granted'] ?? []) as Grantee[];
    const revoked = (fact.data['revoked'] ?? []) as Grantee[];
    const parts = [
      ...granted.map((each) => `gave ${granteeName(each, activity)} ${each.permissionLevel} on ${nameOf(fact)}`),
      ...revoked.map((each) => `took the grant on ${nameOf(fact)} from ${granteeName(each, activity)}`),
    ];
    return parts.length === 0 ? undefined : firstOf(parts);
  },
  CollectionItemsAdded: (fact, activity) => `added ${dataSetNames(fact, activity)} to ${entityText(fact)}`,
  CollectionItemsRemoved: (fact, activity) => `removed ${dataSetNames(fact, activity)} from ${entityText(fact)}`,
  GroupMembersChanged(fact, activity) {
    const people = (name: string) => firstOf(idsIn(fact.data, name).map((id) => userName(id, activity)));
    const parts = [
      people('added') && `added ${people('added')} to ${entityText(fact)}`,
      people('removed') && `removed ${people('removed')} from ${entityText(fact)}`,
    ].filter(Boolean);
    return parts.length === 0 ? undefined : joinTexts(parts as string[]);
  },
  UserRegistered: (fact, activity) =>
    isSignUp({ ...activity, action: 'UserRegistered' })
      ? `signed up with ${roleName(fact, activity)}`
      : `created the user ${userName(fact.entityId, activity)} with ${roleName(fact, activity)}`,
  UserRoleAssigned: (fact, activity) => `gave ${userName(fact.entityId, activity)} ${roleName(fact, activity)}`,
  UserLocked: (fact, activity) =>
    `locked ${ofUser(fact, activity)} sign-in for ${number(Number(fact.data['minutes']))} minutes: ${LOCK_AFTER_FAILURES} failed attempts`,
  UserUnlocked: (fact, activity) => `unlocked ${ofUser(fact, activity)} sign-in`,
  PasswordChanged: (fact, activity) =>
    isOwn(fact, activity) ? 'changed their password' : `changed ${ofUser(fact, activity)} password`,
  PasswordReset: (fact, activity) =>
    isOwn(fact, activity) ? 'reset their password by mail' : `reset ${ofUser(fact, activity)} password`,
  ProfileChanged(fact, activity) {
    const fields = firstOf((fact.data['fields'] ?? []) as string[]);
    const whose = isOwn(fact, activity) ? 'their' : ofUser(fact, activity);
    return `changed ${whose} profile${fields === '' ? '' : `: ${fields}`}`;
  },
  SessionsEnded: (fact, activity) =>
    isOwn(fact, activity) ? 'ended their sessions' : `ended ${ofUser(fact, activity)} sessions`,
  IdentityLinked: (fact, activity) =>
    `linked ${userName(fact.entityId, activity)} to the sign-in provider ${String(fact.data['provider'] ?? '')}`.trim(),
  BackupFailed: (fact) => `ended ${entityText(fact)}: ${textOf(fact.data['problem']) ?? 'it failed'}`,
  BackupVerified: (fact) => `verified ${entityText(fact)}: ${RESULT_WORDS[String(fact.data['result'])] ?? 'no result'}`,
  BackupScheduleChanged: () => 'changed the schedule of backups',
  BackupOverdue: () => 'found that no backup has succeeded for two intervals of the schedule',
  BackupRestored: (fact) => `restored the backup ${textOf(fact.data['fileName']) ?? ''}`.trim(),
  LegalHoldPlaced: (fact, activity) =>
    `placed a legal hold on ${heldText(fact.data['scope'] as HeldScope | undefined, activity)} for ${textOf(fact.data['matter']) ?? ''}`,
  LegalHoldReleased: (fact) => `released legal hold ${fact.entityId}`,
  PurgeRequested(fact) {
    const items = purgedItems(fact);
    return items && `requested to purge ${items}${reasonText(fact)}`;
  },
  PurgeDeclined: (fact) => `declined ${entityText(fact)}${reasonText(fact)}`,
  PurgeFailed: (fact) => `ended ${entityText(fact)}: ${textOf(fact.data['problem']) ?? 'it failed'}`,
  PurgeCompleted(fact, activity) {
    const items = purgedItems(fact);
    return items && `purged ${items}, confirmed by ${userName(fact.data['confirmedBy'], activity)}${reasonText(fact)}`;
  },
  FieldAdded: (fact) =>
    `added the field ${textOf(fact.data['name']) ?? ''} to the type ${fact.entityName ?? fact.entityId}`,
  FieldRenamed(fact) {
    const former = textOf(fact.data['formerName']);
    const field = former === undefined ? 'a field' : `the field ${former}`;
    return `renamed ${field} to ${textOf(fact.data['name']) ?? ''} in the type ${fact.entityName ?? fact.entityId}`;
  },
  NameClaimed: (fact) => `reserved the name ${quote(textOf(fact.data['name']) ?? '')}`,
  SigningKeyRegistered: (fact) => `registered signing key ${textOf(fact.data['keyId']) ?? ''}`.trim(),
  NameReleased: (fact) => `released the name ${quote(textOf(fact.data['name']) ?? '')}`,
};
