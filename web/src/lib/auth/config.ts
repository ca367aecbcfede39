/** The sign-in configuration, the company's URL and the e-mail addresses of contacts (GET /api/auth/config). */
import type { AuthConfig } from '@rdm/contracts/identity/identity';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { read } from '../api/index.ts';

export const authConfigQuery = queryOptions({
  queryKey: ['auth-config'],
  queryFn: () => read<AuthConfig>('/api/auth/config'),
  staleTime: Number.POSITIVE_INFINITY,
});

export const useAuthConfig = (enabled = true) => useQuery({ ...authConfigQuery, enabled });
