/**
 * Sign-in and users: events, payloads and views. The events never contain personal data, which is only in the vault.
 */
import { z } from 'zod';
import { IdToken } from '../access/identity-proof.ts';
import { PASSWORD_MIN_LENGTH } from '../constants.ts';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import { atMost, Id } from '../text/fields.ts';

const PASSWORD_MAX_LENGTH = 1_000;
const EMAIL_MAX_LENGTH = 320;

const OfUser = z.object({ userId: Id });

export const userEvents = {
  PasswordChanged: event(OfUser),
  PasswordChangeRequired: event(OfUser),
  /** The user chose a password with the link of a reset mail or an invitation. */
  PasswordReset: event(OfUser),
  UserLocked: event(z.object({ userId: Id, minutes: z.number().int().positive() })),
  UserUnlocked: event(OfUser),
  SessionsEnded: event(OfUser),
  /** Contains the names of the changed fields, never their values. */
  ProfileChanged: event(z.object({ userId: Id, fields: z.array(z.string()) })),
  /** From this event on, the user signs in through a provider. */
  IdentityLinked: event(z.object({ userId: Id, provider: z.string() })),
  /** An administrator removed an unproved e-mail address from the account. */
  EmailAddressReleased: event(OfUser),
  UserErased: event(OfUser),
};
export type UserEvent = EventsOf<typeof userEvents>;

export const PasswordRules = defineView(() =>
  z.object({
    minLength: z.number(),
    specialCharacter: z.boolean(),
  }),
);
export type PasswordRules = z.infer<typeof PasswordRules>;

/** The password rule of specification §5. A setting can disable the rule for special characters. */
export function passwordSchema(rules: PasswordRules = { minLength: PASSWORD_MIN_LENGTH, specialCharacter: true }) {
  const classes = rules.specialCharacter
    ? /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])/s
    : /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/s;
  return z
    .string({ error: WORDS.passwordTooShort })
    .min(rules.minLength, WORDS.passwordTooShort)
    .max(PASSWORD_MAX_LENGTH, atMost(PASSWORD_MAX_LENGTH))
    .regex(classes, rules.specialCharacter ? WORDS.passwordRule : WORDS.passwordRuleWithoutSpecial);
}

/** A required text. An empty text and a missing text have the same message. */
const required = (message: string) => z.string({ error: message }).min(1, message);
const requiredTrimmed = (message: string) => z.string({ error: message }).trim().min(1, message);

export const Login = z.object({
  username: requiredTrimmed('Username is required').max(EMAIL_MAX_LENGTH, atMost(EMAIL_MAX_LENGTH)),
  password: required('Password is required').max(PASSWORD_MAX_LENGTH, atMost(PASSWORD_MAX_LENGTH)),
});
export type Login = z.infer<typeof Login>;

/** POST /api/change-password; the web application sends the confirmation too. */
export const changePasswordSchema = (rules?: PasswordRules) =>
  z
    .object({
      currentPassword: required(WORDS.currentPasswordRequired).max(PASSWORD_MAX_LENGTH, atMost(PASSWORD_MAX_LENGTH)),
      newPassword: passwordSchema(rules),
      confirmNewPassword: z.string().min(1, WORDS.confirmationRequired).optional(),
    })
    .refine((body) => body.confirmNewPassword === undefined || body.confirmNewPassword === body.newPassword, {
      error: WORDS.passwordsDiffer,
      path: ['confirmNewPassword'],
    });

const Username = requiredTrimmed('Username is required')
  .max(100)
  .normalize('NFKC')
  // Refuses invisible and bidirectional characters, because they let one name look like another.
  .regex(/^[\p{L}\p{M}\p{N}._+-]+$/u, 'A username has no spaces and no @: letters, digits and . _ + - only');

const Email = z
  .string({ error: WORDS.invalidEmail })
  .trim()
  .pipe(z.email(WORDS.invalidEmail).max(EMAIL_MAX_LENGTH, atMost(EMAIL_MAX_LENGTH)));

const Printable = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^\P{C}*$/u, 'Use visible characters');

/** The profile that a user may enter; all fields are optional (specification §3 and §5). */
const profile = {
  firstName: Printable(200).optional(),
  lastName: Printable(200).optional(),
  displayName: Printable(200).optional(),
  phoneNumber: Printable(100).optional(),
  department: Printable(200).optional(),
  jobTitle: Printable(200).optional(),
};
export const PROFILE_FIELDS = Object.keys(profile) as (keyof typeof profile)[];

/** POST /api/users, by an administrator. Without a password, the user gets a mail with a link for choosing one. */
export const createUserSchema = (rules?: PasswordRules) =>
  z.object({
    username: Username,
    email: Email,
    password: passwordSchema(rules).optional(),
    roleId: z.number({ error: 'A role is required' }).pipe(Id),
    ...profile,
    requirePasswordChange: z.boolean().default(true),
  });
export type CreateUser = z.infer<ReturnType<typeof createUserSchema>>;

/** The response to POST /api/users. The response to a repeated request contains only the id. */
export const CreatedUser = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string().exactOptional(),
    mail: z
      .enum(['WAITING', 'KEPT'])
      .exactOptional()
      .describe(
        'The state of the invitation, if there is one. WAITING: the mail will be sent. KEPT: administrators can read it, because no mail server is set.',
      ),
  }),
);
export type CreatedUser = z.infer<typeof CreatedUser>;

/** PATCH /api/users/{id}: only the given fields change. */
export const ChangeUser = z.object({ username: Username, email: Email, roleId: Id, ...profile }).partial();
export type ChangeUser = z.infer<typeof ChangeUser>;

const isConfirmed = (body: { password: string; confirmPassword: string }) => body.confirmPassword === body.password;
const PASSWORDS_DIFFER = { error: WORDS.passwordsDiffer, path: ['confirmPassword'] };

const Confirmation = required(WORDS.confirmationRequired);

/** POST /api/register. The default username is the part of the address before "@"; a taken name gets a number. */
export const registerSchema = (rules?: PasswordRules) =>
  z
    .object({
      email: Email,
      password: passwordSchema(rules),
      confirmPassword: Confirmation,
      username: Username.optional(),
      ...profile,
    })
    .refine(isConfirmed, PASSWORDS_DIFFER);
export type Register = z.infer<ReturnType<typeof registerSchema>>;

/** POST /api/reset-password/request. */
export const RequestReset = z.object({ email: Email });

/** POST /api/reset-password: the token from the mail, and the new password. */
export const resetPasswordSchema = (rules?: PasswordRules) =>
  z
    .object({
      token: requiredTrimmed('The link from the mail is required').max(200),
      password: passwordSchema(rules),
      confirmPassword: Confirmation,
    })
    .refine(isConfirmed, PASSWORDS_DIFFER);

/** The number of minutes for which the link in a reset mail is valid. */
export const RESET_TOKEN_MINUTES = 60;
/** The number of hours for which the link in an invitation is valid. */
export const INVITATION_HOURS = 72;

/** POST /api/{sso-provider}-login. */
export const SsoLogin = z.object({ id_token: IdToken });

/** A sign-in provider, for the sign-in page. All data is public, because the flow uses PKCE and no secret. */
export const SsoProvider = defineView(() =>
  z.object({
    name: z.string().describe('The name in paths and in `authProvider`, in lower case, such as `okta`.'),
    issuer: z.string(),
    clientId: z.string(),
  }),
);
export type SsoProvider = z.infer<typeof SsoProvider>;

/** GET /api/auth/config. */
export const AuthConfig = defineView(() =>
  z.object({
    providers: z.array(SsoProvider),
    registration: z.enum(['open', 'off']),
    passwordRules: PasswordRules,
    companyUrl: z.string().nullable(),
    supportEmail: z.string().nullable(),
    adminEmail: z.string().nullable(),
  }),
);
export type AuthConfig = z.infer<typeof AuthConfig>;

/** GET /api/user: the signed-in person (specification §3). */
export const CurrentUser = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    email: z.string(),
    displayName: z.string().nullable(),
    roleId: z.number(),
    roleName: z.string(),
    isAdmin: z.boolean(),
    routes: z.array(z.string()),
    permissions: z.array(z.string()).describe('The abilities of the role.'),
    authProvider: z.string(),
    requirePasswordChange: z.boolean(),
  }),
);
export type CurrentUser = z.infer<typeof CurrentUser>;

/** The name shown for a user who was erased. */
export const FORMER_USER = 'Former user';

/** GET /api/users. */
export const UserView = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    email: z.string().describe('The address; empty if an administrator released it or the user was erased.'),
    isEmailProved: z
      .boolean()
      .describe(
        'Whether the user followed a link that was mailed to the address, or the sign-in provider confirms the address.',
      ),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    displayName: z.string().nullable(),
    phoneNumber: z.string().nullable(),
    department: z.string().nullable(),
    jobTitle: z.string().nullable(),
    roleId: z.number(),
    roleName: z.string(),
    isActive: z.boolean(),
    isErased: z.boolean().describe('Whether the personal data of the user was erased; the name is then “Former user”.'),
    authProvider: z.string(),
    oktaId: z
      .string()
      .nullable()
      .describe('The id of the user at the sign-in provider; null for users with a password.'),
    requirePasswordChange: z.boolean(),
    isLocked: z.boolean(),
    lockedUntil: z.string().nullable(),
    failedLoginAttempts: z.number(),
    lastLoginAt: z.string().nullable(),
    revision: z
      .number()
      .describe(
        'Incremented by each change that an administrator makes to the profile or the role. A change sends it in `If-Match`.',
      ),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type UserView = z.infer<typeof UserView>;

/** GET /api/users/{id}. */
export const UserDetails = defineView(() =>
  UserView.extend({
    groups: z.array(z.object({ id: z.number(), name: z.string() })),
    activeApiKeys: z
      .number()
      .describe('The number of valid API keys that the user created. They stay valid when the user is deactivated.'),
    openSessions: z.number().describe('The number of browsers in which the user is signed in.'),
  }),
);
export type UserDetails = z.infer<typeof UserDetails>;

/** GET /api/roles. */
export const RoleView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    routes: z.array(z.string()),
    abilities: z.array(z.string()),
    userCount: z.number(),
    revision: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type RoleView = z.infer<typeof RoleView>;

/** GET /api/groups. */
export const GroupView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    description: z.string(),
    memberIds: z.array(z.number()),
    memberCount: z.number(),
    revision: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type GroupView = z.infer<typeof GroupView>;

/** GET /api/groups/{id}/members. */
export const GroupMember = defineView(() =>
  z.object({
    id: z.string().describe('`<groupId>-<userId>`.'),
    groupId: z.number(),
    userId: z.number(),
    username: z.string(),
    displayName: z.string().nullable(),
    isActive: z.boolean(),
    createdAt: z.string().describe('When the user joined the group. A membership never changes.'),
    updatedAt: z.string(),
  }),
);
export type GroupMember = z.infer<typeof GroupMember>;

/** GET /api/mail-outbox: the mails of the product, in every status. */
export const MailView = defineView(() =>
  z.object({
    id: z.number(),
    to: z.string(),
    subject: z.string(),
    text: z
      .string()
      .nullable()
      .describe(
        'The text with its link; null after the mail was sent, or if SESSION_SECRET was changed, so that the text cannot be decrypted.',
      ),
    status: z.enum(['WAITING', 'KEPT', 'SENT', 'FAILED']),
    attempts: z.number(),
    lastError: z.string().nullable(),
    createdAt: z.string(),
    sentAt: z.string().nullable(),
  }),
);
export type MailView = z.infer<typeof MailView>;

/** GET /api/login-attempts: attempted sign-ins with the names that were entered. They are not in the audit log. */
export const LoginAttemptView = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    userId: z.number().nullable().describe('The user with that name; null if there is none.'),
    success: z.boolean(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    attemptedAt: z.string(),
    createdAt: z.string().describe('The same as `attemptedAt`, because an attempt never changes.'),
    updatedAt: z.string(),
  }),
);
export type LoginAttemptView = z.infer<typeof LoginAttemptView>;

/** A user as other users see them, for `actorId` in lists: GET /api/users/names?ids=. */
export const PersonName = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    displayName: z.string().nullable(),
  }),
);
export type PersonName = z.infer<typeof PersonName>;
