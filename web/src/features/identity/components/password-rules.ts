/** The rules for new passwords: their values, their text, and the check of the confirmation. */
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts/constants';
import type { PasswordRules } from '@rdm/contracts/identity/identity';
import { WORDS } from '@rdm/contracts/refusal';
import { useMemo } from 'react';
import { useAuthConfig } from '../../../lib/auth/config.ts';

/** Returns the strictest rules until the rules of the server are loaded. */
export function usePasswordRules(): PasswordRules {
  const { data: config } = useAuthConfig();
  const { minLength = PASSWORD_MIN_LENGTH, specialCharacter = true } = config?.passwordRules ?? {};
  return useMemo(() => ({ minLength, specialCharacter }), [minLength, specialCharacter]);
}

export const passwordHint = ({ minLength, specialCharacter }: PasswordRules): string =>
  `At least ${minLength} characters, with an uppercase letter, a lowercase letter${specialCharacter ? ', a digit and a special character' : ' and a digit'}.`;

/**
 * Returns the error for a confirmation that differs from the password. The schema would compare the passwords only once
 * all other fields are valid.
 */
export const confirmationError = (
  isDirty: boolean | undefined,
  password: string,
  confirmation: string | undefined,
): string | undefined => (isDirty && confirmation && confirmation !== password ? WORDS.passwordsDiffer : undefined);
