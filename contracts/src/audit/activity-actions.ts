/**
 * The words and the effect of each type of event. The sentence of an activity uses the words, and the activity counts
 * rows by effect.
 */
import type { EventType } from '../registry.ts';

/**
 * The effect of an event on rows. `decided` is a step of the review or another decision about rows: an activity counts
 * these rows separately from rows whose content changed.
 */
export type RowEffect = 'created' | 'changed' | 'removed' | 'decided';

export interface AuditedAction {
  /** The verb in the past tense. */
  verb: string;
  effect?: RowEffect;
  /** The noun for the verb, for “undid the approval of …”. */
  noun?: string;
  /**
   * Set for events that accompany another event, such as the claim of a name. The sentence of an activity describes
   * such an event only if the activity has no other event.
   */
  isConsequence?: true;
}

const consequence = (verb: string): AuditedAction => ({ verb, isConsequence: true });

const REVIEW = {
  Submitted: { verb: 'submitted', effect: 'decided', noun: 'submission' },
  Recalled: { verb: 'recalled', effect: 'decided', noun: 'recall' },
  Approved: { verb: 'approved', effect: 'decided', noun: 'approval' },
  Rejected: { verb: 'rejected', effect: 'decided', noun: 'rejection' },
  Revoked: { verb: 'revoked', effect: 'decided', noun: 'revocation' },
  Discarded: { verb: 'discarded the drafts of', effect: 'decided', noun: 'discarding' },
  DeletionRequested: { verb: 'requested the deletion of', effect: 'decided', noun: 'deletion request' },
  Deleted: { verb: 'deleted', effect: 'removed', noun: 'deletion' },
  Restored: { verb: 'restored', effect: 'created', noun: 'restoration' },
  Undone: { verb: 'returned', effect: 'decided', noun: 'undo' },
} as const satisfies Record<string, AuditedAction>;

const DRAFTED = { verb: 'drafted', effect: 'created', noun: 'drafting' } as const;
const EDITED = { verb: 'changed', effect: 'changed', noun: 'change' } as const;

/** The words for all types of events. Without words for a new type, the code does not compile. */
export const ACTIONS: Readonly<Record<EventType, AuditedAction>> = {
  RoleDefined: { verb: 'created' },
  RoleChanged: { verb: 'changed' },
  RoleDeleted: { verb: 'deleted' },
  UserRegistered: { verb: 'created' },
  UserRoleAssigned: { verb: 'gave' },
  UserDeactivated: { verb: 'deactivated' },
  UserReactivated: { verb: 'reactivated' },
  GroupCreated: { verb: 'created' },
  GroupChanged: { verb: 'changed' },
  GroupDeleted: { verb: 'deleted' },
  GroupMembersChanged: { verb: 'changed the members of' },
  CollectionCreated: { verb: 'created' },
  CollectionChanged: { verb: 'changed' },
  CollectionDeleted: { verb: 'deleted' },
  CollectionItemsAdded: { verb: 'added' },
  CollectionItemsRemoved: { verb: 'removed' },
  CollectionPermissionsChanged: { verb: 'changed the grants of' },
  LegalHoldPlaced: { verb: 'placed' },
  LegalHoldReleased: { verb: 'released' },
  PurgeStarted: consequence('started'),
  PurgeEnded: consequence('ended'),
  ApiKeyCreated: { verb: 'created' },
  ApiKeyRotated: { verb: 'replaced the secret of' },
  ApiKeyRevoked: { verb: 'revoked' },
  BackupRequested: { verb: 'started' },
  BackupCompleted: { verb: 'finished' },
  BackupFailed: { verb: 'ended' },
  BackupVerificationRequested: { verb: 'started the verification of' },
  BackupVerified: { verb: 'verified' },
  BackupPinned: { verb: 'changed the retention of' },
  BackupRestoreRequested: { verb: 'requested the restore of' },
  BackupUploaded: { verb: 'uploaded' },
  BackupDownloaded: { verb: 'requested the download of' },
  BackupDeleted: { verb: 'deleted' },
  BackupScheduleChanged: { verb: 'changed' },
  BackupOverdue: { verb: 'missed' },
  BackupRestored: { verb: 'restored' },
  BulkDecisionRequested: consequence('started'),
  BulkDecisionCompleted: consequence('finished'),
  BulkDecisionFailed: consequence('ended'),
  BulkDecisionCancelled: consequence('cancelled'),
  CrosswalkDefined: { verb: 'created', noun: 'creation' },
  CrosswalkDetailsChanged: { verb: 'changed the details of', noun: 'change' },
  CrosswalkAttributesChanged: { verb: 'changed the mapped fields of', noun: 'change' },
  CrosswalkUnmappedChanged: { verb: 'changed the answer for unmapped values of', noun: 'change' },
  CrosswalkValuesStarted: consequence('added the first mapping of'),
  CrosswalkSubmitted: REVIEW.Submitted,
  CrosswalkRecalled: REVIEW.Recalled,
  CrosswalkApproved: REVIEW.Approved,
  CrosswalkRejected: REVIEW.Rejected,
  CrosswalkRevoked: REVIEW.Revoked,
  CrosswalkDiscarded: { ...REVIEW.Discarded, verb: 'discarded the draft of' },
  CrosswalkDeletionRequested: REVIEW.DeletionRequested,
  CrosswalkDeleted: REVIEW.Deleted,
  CrosswalkRestored: REVIEW.Restored,
  CrosswalkUndone: REVIEW.Undone,
  CrosswalkAbandoned: consequence('gave up the creation of'),
  DataSetCreated: { verb: 'created' },
  DataSetDetailsChanged: { verb: 'changed the details of' },
  DataSetPublished: { verb: 'published' },
  DataSetUnpublished: { verb: 'unpublished' },
  ExclusiveImportStarted: consequence('locked'),
  ExclusiveImportEnded: consequence('unlocked'),
  RelationshipRegistered: consequence('related'),
  RelationshipUnregistered: consequence('unrelated'),
  CrosswalkRegistered: consequence('used'),
  CrosswalkUnregistered: consequence('stopped using'),
  DataSetDeleted: { verb: 'deleted' },
  DataSetAbandoned: consequence('gave up the creation of'),
  FilterConfigurationCreated: { verb: 'created' },
  FilterConfigurationChanged: { verb: 'changed' },
  FilterConfigurationDeleted: { verb: 'deleted' },
  ImportRequested: consequence('started'),
  ImportStarted: consequence('started'),
  ImportPhaseCompleted: consequence('continued'),
  ImportCompleted: consequence('finished'),
  ImportFailed: consequence('ended'),
  ImportCancelled: consequence('cancelled'),
  ImportUndone: consequence('undid'),
  InstancesImported: { verb: 'added', effect: 'created', noun: 'import' },
  InstancesAdded: { verb: 'added', effect: 'created', noun: 'addition' },
  InstancesChanged: EDITED,
  InstancesRemoved: REVIEW.Deleted,
  InstancesRestored: REVIEW.Restored,
  MappingsDrafted: DRAFTED,
  MappingsEdited: EDITED,
  MappingsSubmitted: REVIEW.Submitted,
  MappingsRecalled: REVIEW.Recalled,
  MappingsApproved: REVIEW.Approved,
  MappingsRejected: REVIEW.Rejected,
  MappingsRevoked: REVIEW.Revoked,
  MappingsDiscarded: REVIEW.Discarded,
  MappingsDeletionRequested: REVIEW.DeletionRequested,
  MappingsDeleted: REVIEW.Deleted,
  MappingsRestored: REVIEW.Restored,
  MappingsUndone: REVIEW.Undone,
  SuggestionsDismissed: { verb: 'dismissed', effect: 'decided' },
  SuggestionsRestored: { verb: 'restored', effect: 'decided' },
  MissingMappingRequested: { verb: 'listed', effect: 'created' },
  MissingMappingIgnored: { verb: 'ignored', effect: 'decided' },
  MissingMappingReopened: { verb: 'reopened', effect: 'decided' },
  NameClaimed: consequence('reserved'),
  NameReleased: consequence('released'),
  ReferenceTypeDefined: { verb: 'created' },
  ReferenceTypeDetailsChanged: { verb: 'changed the details of' },
  FieldAdded: { verb: 'added' },
  FieldRenamed: { verb: 'renamed' },
  FieldChanged: { verb: 'changed a field of' },
  FieldRetired: { verb: 'retired a field of' },
  ReferenceTypeDeleted: { verb: 'deleted' },
  DataSetRegistered: consequence('used'),
  DataSetUnregistered: consequence('stopped using'),
  FieldReferenced: consequence('used a field of'),
  FieldUnreferenced: consequence('stopped using a field of'),
  RelationshipDefined: { verb: 'created', noun: 'creation' },
  RelationshipDetailsChanged: { verb: 'changed the details of', noun: 'change' },
  RelationshipRulesChanged: { verb: 'changed the rules of', noun: 'change' },
  RelationshipValuesStarted: consequence('added the first value of'),
  RelationshipAttributeDefined: { verb: 'added an attribute to' },
  RelationshipAttributeChanged: { verb: 'changed an attribute of' },
  RelationshipAttributeRemoved: { verb: 'removed an attribute of' },
  RelationshipDeletionRequested: REVIEW.DeletionRequested,
  RelationshipDeletionRecalled: { ...REVIEW.Recalled, verb: 'recalled the deletion of' },
  RelationshipDeletionRejected: { ...REVIEW.Rejected, verb: 'rejected the deletion of' },
  RelationshipDeletionApproved: { ...REVIEW.Approved, verb: 'approved the deletion of' },
  RelationshipDeleted: REVIEW.Deleted,
  RelationshipRestored: REVIEW.Restored,
  RelationshipDeletionUndone: REVIEW.Undone,
  RelationshipAbandoned: consequence('gave up the creation of'),
  RelationshipValuesDrafted: DRAFTED,
  RelationshipValuesEdited: EDITED,
  RelationshipValuesSubmitted: REVIEW.Submitted,
  RelationshipValuesRecalled: REVIEW.Recalled,
  RelationshipValuesApproved: REVIEW.Approved,
  RelationshipValuesRejected: REVIEW.Rejected,
  RelationshipValuesRevoked: REVIEW.Revoked,
  RelationshipValuesDiscarded: REVIEW.Discarded,
  RelationshipValuesDeletionRequested: REVIEW.DeletionRequested,
  RelationshipValuesDeleted: REVIEW.Deleted,
  RelationshipValuesRestored: REVIEW.Restored,
  RelationshipValuesUndone: REVIEW.Undone,
  SavedFilterCreated: { verb: 'saved' },
  SavedFilterChanged: { verb: 'changed' },
  SavedFilterDeleted: { verb: 'deleted' },
  PurgeRequested: { verb: 'requested' },
  PurgeConfirmed: { verb: 'confirmed' },
  PurgeDeclined: { verb: 'declined' },
  PurgeCancelled: { verb: 'cancelled' },
  PurgeManifestPart: consequence('listed the events of'),
  PurgeManifestSealed: consequence('signed the manifest of'),
  PurgeReclaiming: consequence('started to reclaim the space of'),
  PurgeFailed: { verb: 'ended' },
  PurgeResumed: { verb: 'resumed' },
  PurgeCompleted: { verb: 'finished' },
  PurgeRegistered: consequence('registered'),
  SigningKeyRegistered: { verb: 'registered' },
  PasswordChanged: { verb: 'changed the password of' },
  PasswordChangeRequired: { verb: 'required a new password from' },
  PasswordReset: { verb: 'reset the password of' },
  UserLocked: { verb: 'locked the sign-in of' },
  UserUnlocked: { verb: 'unlocked the sign-in of' },
  SessionsEnded: { verb: 'ended the sessions of' },
  ProfileChanged: { verb: 'changed the profile of' },
  IdentityLinked: { verb: 'linked a sign-in provider to' },
  EmailAddressReleased: { verb: 'removed the unconfirmed address of' },
  UserErased: { verb: 'erased' },
};

/**
 * The events of a purge run, which form one activity although their causation ids differ. `PurgeEnded` belongs to this
 * activity too if the purge has run. A failure is a separate activity.
 */
export const PURGE_RUN: ReadonlySet<string> = new Set<EventType>([
  'PurgeManifestPart',
  'PurgeManifestSealed',
  'PurgeRegistered',
  'PurgeReclaiming',
  'PurgeCompleted',
]);

/** Returns the words for a type of event. A type that this version lacks is described by its name. */
export const actionOf = (type: string): AuditedAction =>
  (ACTIONS as Readonly<Record<string, AuditedAction | undefined>>)[type] ?? {
    verb: `recorded ${type.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)} for`,
  };

/** Returns the type of the entity that pages show. For rows, this is the definition or data set that has the rows. */
export const subjectTypeOf = (entityType: string): string => SUBJECTS[entityType] ?? entityType;

const SUBJECTS: Readonly<Record<string, string>> = {
  instances: 'dataSet',
  mappings: 'crosswalk',
  missingMappings: 'crosswalk',
  relationshipValues: 'relationship',
};
