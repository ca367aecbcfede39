/** Signing in and users: what the vault lets others hear of, and payloads. Never personal data in an event. */
import { z } from 'zod';
import { PASSWORD_MIN_LENGTH } from './constants.ts';
import { type EventsOf, event } from './event.ts';
import { Id } from './fields.ts';
import { WORDS } from './refusal.ts';

export const userEvents = {
  PasswordChanged: event(z.object({ userId: Id })),
  PasswordChangeRequired: event(z.object({ userId: Id })),
};
export type UserEvent = EventsOf<typeof userEvents>;

export interface PasswordRules {
  minLength: number;
  specialCharacter: boolean;
}

/** The password rule of specification §5; with a special character unless the setting says otherwise. */
export function passwordSchema(rules: PasswordRules = { minLength: PASSWORD_MIN_LENGTH, specialCharacter: true }) {
  const classes = rules.specialCharacter
    ? /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^A-Za-z0-9])/s
    : /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)/s;
  return z
    .string()
    .min(rules.minLength, WORDS.passwordTooShort)
    .max(1_000)
    .regex(classes, rules.specialCharacter ? WORDS.passwordRule : WORDS.passwordRuleWithoutSpecial);
}

export const Login = z.object({
  username: z.string().trim().min(1, 'Username is required').max(320),
  password: z.string().min(1, 'Password is required').max(1_000),
});
export type Login = z.infer<typeof Login>;

/** POST /api/change-password; the shell's dialog sends the confirmation too. */
export const changePasswordSchema = (rules?: PasswordRules) =>
  z
    .object({
      currentPassword: z.string().min(1, WORDS.currentPasswordRequired).max(1_000),
      newPassword: passwordSchema(rules),
      confirmNewPassword: z.string().min(1, WORDS.confirmationRequired).optional(),
    })
    .refine((body) => body.confirmNewPassword === undefined || body.confirmNewPassword === body.newPassword, {
      error: WORDS.passwordsDiffer,
      path: ['confirmNewPassword'],
    });

const Username = z
  .string()
  .trim()
  .min(1, 'Username is required')
  .max(100)
  .regex(/^[^\s@]+$/, 'A username has no spaces and no @');

/** POST /api/users, by an administrator. */
export const createUserSchema = (rules?: PasswordRules) =>
  z.object({
    username: Username,
    email: z.email(WORDS.invalidEmail).max(320),
    password: passwordSchema(rules),
    roleId: Id,
    firstName: z.string().trim().max(200).optional(),
    lastName: z.string().trim().max(200).optional(),
    displayName: z.string().trim().max(200).optional(),
    phoneNumber: z.string().trim().max(100).optional(),
    department: z.string().trim().max(200).optional(),
    jobTitle: z.string().trim().max(200).optional(),
    requirePasswordChange: z.boolean().default(true),
  });
export type CreateUser = z.infer<ReturnType<typeof createUserSchema>>;

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

/** A person as other people see them, for `actorId` in lists: GET /api/users/names?ids=. */
export interface PersonName {
  id: number;
  username: string;
  displayName: string | null;
}
