/** What the sign-in page may offer, and addresses that the installation sets (GET /api/auth/config). */
import type { PasswordRules } from '@rdm/contracts/identity';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/index.ts';

export interface AuthConfig {
  providers: readonly { name: string; label?: string }[];
  registration: 'open' | 'off';
  passwordRules: PasswordRules;
  companyUrl?: string;
  supportEmail?: string;
  adminEmail?: string;
}

export const useAuthConfig = (enabled = true) =>
  useQuery({
    queryKey: ['auth-config'],
    queryFn: () => read<AuthConfig>('/api/auth/config'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
