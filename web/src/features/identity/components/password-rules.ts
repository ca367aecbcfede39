/** The rules of new passwords as the forms show them: in force here, in words, and the confirmation that has to agree. */
import { PASSWORD_MIN_LENGTH } from '@rdm/contracts/constants';
import type { PasswordRules } from '@rdm/contracts/identity/identity';
import { WORDS } from '@rdm/contracts/refusal';
import { useMemo } from 'react';
import { useAuthConfig } from '../../../lib/auth/config.ts';

/** The strictest until the server has said which hold. */
export function usePasswordRules(): PasswordRules {
  const { data: config } = useAuthConfig();
  const { minLength = PASSWORD_MIN_LENGTH, specialCharacter = true } = config?.passwordRules ?? {};
  return useMemo(() => ({ minLength, specialCharacter }), [minLength, specialCharacter]);
}

export const passwordHint = ({ minLength, specialCharacter }: PasswordRules): string =>
  `At least ${minLength} characters, with an uppercase letter, a lowercase letter${specialCharacter ? ', a digit and a special character' : ' and a digit'}.`;

/** A schema compares the two only once all else is right; the person should not have to wait for that. */
export const confirmationError = (
  typed: boolean | undefined,
  password: string,
  confirmation: string | undefined,
): string | undefined => (typed && confirmation && confirmation !== password ? WORDS.passwordsDiffer : undefined);
