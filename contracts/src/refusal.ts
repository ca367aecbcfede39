/** The error with which a server refuses a request: it has a status, a code and a message. */
import { z } from 'zod';
import { defineView } from './define-view.ts';

/** Codes that a caller can act on, with their HTTP status. */
export const REFUSAL_STATUS = {
  INVALID: 400,
  TYPE_IN_USE: 400,
  FIELD_LOCKED: 400,
  KEY_IMMUTABLE: 400,
  ROLE_IN_USE: 400,
  UNAUTHENTICATED: 401,
  /** The session has a valid signature, but is not in the database: a restore may have replaced the database. */
  SESSION_UNKNOWN: 401,
  FORBIDDEN: 403,
  PASSWORD_CHANGE_REQUIRED: 403,
  ORIGIN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  NAME_TAKEN: 409,
  DUPLICATE_KEY: 409,
  IN_USE: 409,
  DELETED: 409,
  FOUR_EYES: 409,
  EXCLUSIVE_IMPORT: 409,
  IN_PROGRESS: 409,
  LAST_ADMINISTRATOR: 409,
  BACKUP_RUNNING: 409,
  RESTORE_NOT_HERE: 409,
  PURGE_RUNNING: 409,
  PLAN_CHANGED: 409,
  LEGAL_HOLD: 409,
  SAME_ADMINISTRATOR: 409,
  DISK_SPACE: 409,
  GONE: 410,
  /** A purge has deleted the events of the entity. */
  PURGED: 410,
  STALE: 412,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  WRONG_PASSWORD: 422,
  WRONG_PHRASE: 422,
  SIGN_IN_AGAIN: 422,
  BACKUP_DAMAGED: 422,
  WRONG_PASSPHRASE: 422,
  NEWER_FORMAT: 422,
  LOCKED_OUT: 429,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
  /** The launcher answers with this code during a restore, while the product is stopped. */
  RESTORING: 503,
  /** The front door is not open yet, or the first read models have not reached the end of the log. */
  STARTING: 503,
  /** The read models lack events that the answer needs: events up to `asOf`, or the caller's last write. */
  BEHIND: 503,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** Whether a refusal with this status has the header `Retry-After`, because the same request can succeed later. */
export const maySendAgain = (status: number): boolean => status === 429 || status === 503;

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: unknown;
  /** The seconds after which a retry makes sense. Set for every 429 and 503. */
  readonly retryAfter: number | undefined;
  /**
   * The log position of the change that caused the refusal. A read that waits for this position includes the
   * change.
   */
  position?: string;

  constructor(code: RefusalCode, message: string, details?: unknown, retryAfter?: number) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.status = REFUSAL_STATUS[code];
    this.details = details;
    this.retryAfter = retryAfter ?? (maySendAgain(this.status) ? 1 : undefined);
  }
}

/** The body of every error response; clients read `error` first (specification §8). */
export const RefusalBody = defineView(() =>
  z.object({
    error: z.string(),
    code: z.union([z.enum(Object.keys(REFUSAL_STATUS) as RefusalCode[]), z.literal('INTERNAL')]),
    details: z.unknown().exactOptional(),
    requestId: z.string(),
  }),
);
export type RefusalBody = z.infer<typeof RefusalBody>;

/** Messages to users, among them those of the specification (§5, §8). The client shows them as sent. */
export const WORDS = {
  purged: 'This was purged',
  noPast: 'This is not available for the past: leave asOf out',
  starting: 'The product is starting. Please try again.',
  restoring: 'The data are being restored from a backup. Please try again in a few minutes.',
  uploadGone: 'This uploaded file does not exist any more: upload it again',
  selectionExpired: 'This selection has expired: select the rows again',
  fourEyes: 'Submitted changes must be reviewed by a different user',
  typeInUse:
    'This reference type has associated datasets. You must delete all datasets that use this type before you can delete it.',
  needsPrimaryKey: 'At least one field must be selected as the primary key',
  nameRequired: 'Name is required',
  dataTypeRequired: 'Data type is required',
  relationshipNameRequired: 'Relationship name is required',
  crosswalkNameRequired: 'Mapping name is required',
  attributeNameRequired: 'Attribute name is required',
  sourceValueRequired: 'Source value is required',
  groupNameRequired: 'Group name is required',
  collectionNameRequired: 'Collection name is required',
  exportOfCutSearch:
    'This search matches too many rows for a complete export: search for more words, or for a whole code or label',
  filterTooLong: 'This filter is too long for an address: at most 50,000 characters',
  groupTooLong: 'A group of a filter has at most 200 conditions: move some of them into a new group',
  jobDescriptionRequired: 'Job description is required',
  passwordTooShort: 'Password must be at least 10 characters',
  passwordRule:
    'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
  passwordRuleWithoutSpecial:
    'Password must contain at least one uppercase letter, one lowercase letter, and one number',
  currentPasswordRequired: 'Current password is required',
  confirmationRequired: 'Please confirm your password',
  passwordsDiffer: "Passwords don't match",
  invalidEmail: 'Invalid email format',
  unstorableText: 'A text contains a character that cannot be stored: NUL, or half of a surrogate pair',
} as const;
