/** Signs heads of the audit log for query-api, which has no key. */
import { Refusal, SignedHead } from '@rdm/contracts';
import { type Route, route, type SigningKey, signedHead } from '@rdm/platform';

const UnsignedHead = SignedHead.omit({ keyId: true, signature: true });

export const auditRoutes = (signingKey: SigningKey | undefined): Route[] => [
  route(
    'post',
    '/internal/audit-logs/head-signature',
    { service: true },
    {
      summary: 'Sign a head of the audit log',
      answers: { 200: SignedHead.pick({ keyId: true, signature: true }) },
      errors: ['CONFLICT'],
      body: UnsignedHead,
    },
    async ({ body }) => {
      if (signingKey === undefined) {
        throw new Refusal(
          'CONFLICT',
          'The audit log has no signing key: set AUDIT_SIGNING_KEY and start command-api again.',
        );
      }
      const head = { ...body, keyId: signingKey.keyId };
      return { body: { keyId: signingKey.keyId, signature: signingKey.sign(signedHead(head)).toString('base64') } };
    },
  ),
];
