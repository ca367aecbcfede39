/** Sign-in and users: the events of the vault, and payloads. Events never contain personal data. */
import { z } from 'zod';
import { PASSWORD_MIN_LENGTH } from '../constants.ts';
import { type EventsOf, event } from '../events/event.ts';
import { WORDS } from '../refusal.ts';
import { atMost, Id } from '../text/fields.ts';

const PASSWORD_MAX_LENGTH = 1_000;
const EMAIL_MAX_LENGTH = 320;

const OfUser = z.object({ userId: Id });

export const userEvents = {
  PasswordChanged: event(OfUser),
  PasswordChangeRequired: event(OfUser),
  /** By the link of a mail. */
  PasswordReset: event(OfUser),
  UserLocked: event(z.object({ userId: Id, minutes: z.number().int().positive() })),
  UserUnlocked: event(OfUser),
  SessionsEnded: event(OfUser),
  /** Names of the changed fields, never their values. */
  ProfileChanged: event(z.object({ userId: Id, fields: z.array(z.string()) })),
  /** The user signs in through a provider from now on. */
  IdentityLinked: event(z.object({ userId: Id, provider: z.string() })),
  /** An administrator removed an address that the user had not confirmed. */
  EmailAddressReleased: event(OfUser),
  UserErased: event(OfUser),
};
export type UserEvent = EventsOf<typeof userEvents>;

export interface PasswordRules {
  minLength: number;
  specialCharacter: boolean;
}

/** The password rule of specification §5; with a special character unless the setting disables it. */
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

/** Required text: the same message whether it is empty or missing. */
const required = (words: string) => z.string({ error: words }).min(1, words);
const requiredTrimmed = (words: string) => z.string({ error: words }).trim().min(1, words);

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
  // No invisible or direction-changing characters: they let one name look like another.
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
    .regex(/^\P{C}*$/u, 'Use characters that can be seen');

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

/** POST /api/users, by an administrator. Without a password the user is invited: a mail lets them choose one. */
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

/** Answer of POST /api/users; a repeated request gets the id alone. */
export interface CreatedUser {
  id: number;
  username?: string;
  /** The state of the invitation, if there is one: sent, or kept for administrators because no mail server is set. */
  mail?: 'WAITING' | 'KEPT';
}

/** PATCH /api/users/{id}: only the given fields change. */
export const ChangeUser = z.object({ username: Username, email: Email, roleId: Id, ...profile }).partial();
export type ChangeUser = z.infer<typeof ChangeUser>;

/** Refuses a confirmation that differs from the password. */
const confirmed = (body: { password: string; confirmPassword: string }) => body.confirmPassword === body.password;
const differs = { error: WORDS.passwordsDiffer, path: ['confirmPassword'] };

const Confirmation = required(WORDS.confirmationRequired);

/** POST /api/register. Without a username the e-mail's local part is used, made unique. */
export const registerSchema = (rules?: PasswordRules) =>
  z
    .object({
      email: Email,
      password: passwordSchema(rules),
      confirmPassword: Confirmation,
      username: Username.optional(),
      ...profile,
    })
    .refine(confirmed, differs);
export type Register = z.infer<ReturnType<typeof registerSchema>>;

/** POST /api/reset-password/request. */
export const RequestReset = z.object({ email: Email });

/** POST /api/reset-password: the token of the mail, and the new password. */
export const resetPasswordSchema = (rules?: PasswordRules) =>
  z
    .object({
      token: requiredTrimmed('The link of the mail is needed').max(200),
      password: passwordSchema(rules),
      confirmPassword: Confirmation,
    })
    .refine(confirmed, differs);

/** Minutes for which the link of a reset mail is valid, and hours for that of an invitation. */
export const RESET_TOKEN_MINUTES = 60;
export const INVITATION_HOURS = 72;

/** POST /api/{sso-provider}-login. */
export const SsoLogin = z.object({ id_token: z.string().min(1).max(20_000) });

/** A sign-in provider for the sign-in page: public data only, since the flow uses PKCE and no secret. */
export interface SsoProvider {
  /** In paths and in `authProvider`: lower case, such as `okta`. */
  name: string;
  issuer: string;
  clientId: string;
}

/** GET /api/auth/config. */
export interface AuthConfig {
  providers: SsoProvider[];
  registration: 'open' | 'off';
  passwordRules: PasswordRules;
  companyUrl: string | null;
  supportEmail: string | null;
  adminEmail: string | null;
}

/** GET /api/user: the signed-in person (specification §3). */
export interface CurrentUser {
  id: number;
  username: string;
  email: string;
  displayName: string | null;
  roleId: number;
  roleName: string;
  isAdmin: boolean;
  routes: string[];
  /** Abilities of the role, as `permissions` of §3. */
  permissions: string[];
  authProvider: string;
  requirePasswordChange: boolean;
}

/** The name shown for a user who was erased. */
export const FORMER_USER = 'Former user';

/** GET /api/users. */
export interface UserView {
  id: number;
  username: string;
  /** Empty if an administrator released it. */
  email: string;
  /** The user followed a link that was mailed there, or their sign-in provider confirms the address. */
  isEmailProved: boolean;
  firstName: string | null;
  lastName: string | null;
  displayName: string | null;
  phoneNumber: string | null;
  department: string | null;
  jobTitle: string | null;
  roleId: number;
  roleName: string;
  isActive: boolean;
  /** The user's personal data were erased; the row shows “Former user”. */
  isErased: boolean;
  authProvider: string;
  /** The id of the user at the sign-in provider; null for users with a password. */
  oktaId: string | null;
  requirePasswordChange: boolean;
  isLocked: boolean;
  lockedUntil: string | null;
  failedLoginAttempts: number;
  lastLoginAt: string | null;
  /** Counts administrators' changes of the profile and the role: the revision for PATCH's `If-Match`. */
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** GET /api/users/{id}. */
export interface UserDetails extends UserView {
  groups: { id: number; name: string }[];
  /** Valid API keys that the user created: deactivating the user does not revoke them. */
  activeApiKeys: number;
  /** Browsers in which the user is signed in. */
  openSessions: number;
}

/** GET /api/roles. */
export interface RoleView {
  id: number;
  name: string;
  description: string;
  routes: string[];
  abilities: string[];
  userCount: number;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** GET /api/groups. */
export interface GroupView {
  id: number;
  name: string;
  description: string;
  memberIds: number[];
  memberCount: number;
  revision: number;
  createdAt: string;
  updatedAt: string;
}

/** GET /api/groups/{id}/members. */
export interface GroupMember {
  /** `<groupId>-<userId>`. */
  id: string;
  groupId: number;
  userId: number;
  username: string;
  displayName: string | null;
  isActive: boolean;
  /** When they joined the group. A membership never changes. */
  createdAt: string;
  updatedAt: string;
}

/** GET /api/mail-outbox: sent mails, and mails that could not be sent. */
export interface MailView {
  id: number;
  to: string;
  subject: string;
  /** The text, with its link; null once it was sent. */
  text: string | null;
  status: 'WAITING' | 'KEPT' | 'SENT' | 'FAILED';
  attempts: number;
  lastError: string | null;
  createdAt: string;
  sentAt: string | null;
}

/** GET /api/login-attempts: attempted sign-ins, with the name as typed. Outside the audit chain. */
export interface LoginAttemptView {
  id: number;
  username: string;
  /** The user with that name; null if there is none. */
  userId: number | null;
  success: boolean;
  ipAddress: string | null;
  userAgent: string | null;
  attemptedAt: string;
  /** Both equal `attemptedAt`: an attempt never changes. */
  createdAt: string;
  updatedAt: string;
}

/** A user as other users see them, for `actorId` in lists: GET /api/users/names?ids=. */
export interface PersonName {
  id: number;
  username: string;
  displayName: string | null;
}
