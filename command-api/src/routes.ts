/** Composes the routes of all modules. */
import type { PasswordRules } from '@rdm/contracts';
import {
  type Access,
  type ApiRequest,
  type Log,
  type Pool,
  type Route,
  route,
  type Settings,
  type SigningKey,
  ssoProviderOf,
} from '@rdm/platform';
import { z } from 'zod';
import { openMaintenance } from './admin/backups/maintenance.ts';
import { backupRoutes } from './admin/backups/routes.ts';
import { legalHoldRoutes } from './admin/legal-holds.ts';
import { purgeRoutes } from './admin/purges/routes.ts';
import { rebuildRoutes } from './admin/rebuild.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { collectionRoutes, createCollectionIn } from './collections/routes.ts';
import { crosswalkReview } from './crosswalks/commands.ts';
import { loadCrosswalk, requireCrosswalk, requireCrosswalkOrDeleted } from './crosswalks/crosswalk-access.ts';
import { mappingReview } from './crosswalks/mapping-commands.ts';
import { crosswalkRoutes } from './crosswalks/routes.ts';
import { undoCrosswalkItems, undoMappingItems } from './crosswalks/undo.ts';
import { createDataSetIn, dataSetRoutes } from './data-sets/routes.ts';
import type { FileProcess } from './file-imports/file-process.ts';
import { filterRoutes } from './filters/routes.ts';
import { HOME, homeRoutes } from './home/routes.ts';
import { apiKeyRoutes } from './identity/api-keys/routes.ts';
import { groupRoutes } from './identity/groups.ts';
import { mailSettingsOf } from './identity/mail/mail.ts';
import { passwordRoutes } from './identity/passwords/routes.ts';
import { roleRoutes } from './identity/roles.ts';
import { createIdentityProof } from './identity/sign-in/identity-proof.ts';
import { type IdentityDependencies, identityRoutes } from './identity/sign-in/routes.ts';
import { ssoRoutes } from './identity/sign-in/sso.ts';
import { createTokenVerifier } from './identity/sign-in/sso-tokens.ts';
import { userRoutes } from './identity/users/routes.ts';
import { requireNotErased, withLockedUser } from './identity/users/users-vault.ts';
import { storeRequestContext } from './identity/vault.ts';
import { importRoutes, VALIDATION_TEST } from './imports/routes.ts';
import { NOTIFICATIONS, notificationRoutes } from './notifications/routes.ts';
import { defineTypeIn, deleteTypeIn, referenceTypeRoutes } from './reference-types/routes.ts';
import { valueReview } from './relationships/commands.ts';
import {
  loadRelationship,
  relationshipReview,
  requireRelationship,
  requireRelationshipOrDeleted,
} from './relationships/definitions.ts';
import { relationshipRoutes } from './relationships/routes.ts';
import { undoRelationshipItems, undoValueItems } from './relationships/undo.ts';
import { batchRoutes } from './review/batch-undo.ts';
import type { Commands } from './runtime/commands.ts';
import type { Pace } from './runtime/pace.ts';
import { type OpenReadExecution, openReadExecution } from './runtime/read-execution.ts';
import type { Streams } from './runtime/streams.ts';

/** The dependencies of the modules' routes. */
export interface CommandContext {
  commands: Commands;
  pool: Pool;
  /** The pool for uploaded files. With an embedded database, it has a lower priority than `pool`. */
  uploadPool: Pool;
  streams: Streams;
  access: Access;
  settings: Settings;
  passwordRules: PasswordRules;
  now: () => Date;
  log: Log;
  /** Notifies the import worker of a new job. */
  wakeImports: () => void;
  /** Notifies the draft worker that it has a file to read or to check. */
  wakeDrafts: () => void;
  /** Previews an import, or validates rows, in a file process. */
  preview: FileProcess['preview'];
  pace: Pace;
  /** Undefined if the audit log is not signed. */
  signingKey: SigningKey | undefined;
}

export function routesOf(context: CommandContext): Route[] {
  const { commands, pool, streams, access, settings, passwordRules, now, log, preview, pace } = context;
  const identity: IdentityDependencies = {
    commands,
    pool,
    access,
    passwordRules,
    sessionSecret: settings.SESSION_SECRET,
    sessionHours: settings.SESSION_HOURS,
    publicUrl: settings.PUBLIC_URL,
    registration: settings.REGISTRATION,
    mailSettings: mailSettingsOf(settings),
  };
  const openExecution: OpenReadExecution = (request) => openReadExecution(request, { streams, access, pool, now });
  const provider = ssoProviderOf(settings);
  const sso = provider && { provider, tokens: createTokenVerifier(provider) };
  const requireIdentity = createIdentityProof(pool, sso?.tokens, log, now);
  const moduleRoutes = [
    ...identityRoutes(identity),
    ...passwordRoutes(identity),
    ...ssoRoutes({
      sso,
      roleClaim: settings.SSO_ROLE_CLAIM,
      commands,
      pool,
      access,
      cookies: identity,
      log,
    }),
    ...userRoutes({ commands, passwordRules, mailSettings: identity.mailSettings }),
    ...roleRoutes(commands),
    ...groupRoutes(commands),
    ...referenceTypeRoutes(commands),
    ...dataSetRoutes(commands),
    ...relationshipRoutes(commands, preview),
    ...crosswalkRoutes(commands, pool, preview),
    ...collectionRoutes(commands),
    ...apiKeyRoutes(commands),
    ...filterRoutes(commands),
    ...homeRoutes(pool),
    ...notificationRoutes(pool),
    ...importRoutes({
      commands,
      pool,
      uploadPool: context.uploadPool,
      access,
      settings,
      openExecution,
      crosswalk: requireCrosswalk,
      relationship: requireRelationship,
      wake: context.wakeImports,
      wakeDrafts: context.wakeDrafts,
      creators: {
        defineType: defineTypeIn,
        deleteType: deleteTypeIn,
        createCollection: createCollectionIn,
        createDataSet: createDataSetIn,
      },
      preview,
      pace,
    }),
    ...backupRoutes({
      commands,
      sessionSecret: settings.SESSION_SECRET,
      maintenance: openMaintenance(settings.MAINTENANCE_URL, settings.SERVICE_SECRET),
      requireIdentity,
    }),
    ...auditRoutes(context.signingKey),
    ...purgeRoutes({
      commands,
      streams,
      access,
      requireIdentity,
    }),
    ...legalHoldRoutes(commands, (x, userId, work) =>
      withLockedUser(x.pool, userId, (_, person) => {
        requireNotErased(person);
        return work();
      }),
    ),
    ...rebuildRoutes({ projectorUrls: settings.PROJECTOR_URL, serviceSecret: settings.SERVICE_SECRET, log }),
    ...approvalRoutes(commands, {
      crosswalk: { review: crosswalkReview.reviewItems, governanceOf: loadCrosswalk },
      mapping: { review: mappingReview.reviewItems, governanceOf: loadCrosswalk },
      relationship: { review: relationshipReview.reviewItems, governanceOf: loadRelationship },
      'relationship-value': { review: valueReview.reviewItems, governanceOf: loadRelationship },
    }),
    ...batchRoutes(commands, {
      crosswalk: { kind: 'crosswalk', undo: undoCrosswalkItems, governanceOf: requireCrosswalkOrDeleted },
      mappings: { kind: 'mapping', undo: undoMappingItems, governanceOf: requireCrosswalk },
      relationship: { kind: 'relationship', undo: undoRelationshipItems, governanceOf: requireRelationshipOrDeleted },
      relationshipValues: { kind: 'relationship-value', undo: undoValueItems, governanceOf: requireRelationship },
    }),
    finishBootstrap(pool),
  ];
  return moduleRoutes.map((declared) => withRequestTrace(pool, declared));
}

/** Sets whether the first administrator must change the password. Only the launcher calls this route. */
const finishBootstrap = (pool: Pool): Route =>
  route(
    'post',
    '/internal/bootstrap/finish',
    { service: true },
    {
      summary: 'Finish the first start',
      answers: { 204: null },
      body: z.object({ requirePasswordChange: z.boolean() }),
    },
    async ({ body }) => {
      await pool.query('UPDATE identity.users SET require_password_change = $1 WHERE id = 1', [
        body.requirePasswordChange,
      ]);
      return { status: 204 };
    },
  );

/** The vault stores no origin of requests to these routes, because such requests change nothing in the audit log. */
const UNTRACED: readonly string[] = ['/api/session/heartbeat', NOTIFICATIONS, HOME, VALIDATION_TEST];

/**
 * Makes a route store the address, the user agent and the user of each request in the vault. For a request with an API
 * key, `createdBy` is the user to whom the secret was issued, possibly by a rotation. Routes of services and routes in
 * UNTRACED store nothing.
 */
const withRequestTrace = (pool: Pool, declared: Route): Route =>
  'service' in declared.access || UNTRACED.includes(declared.path)
    ? declared
    : {
        ...declared,
        handle: async (declaredRequest) => {
          const request: Pick<ApiRequest, 'requestId' | 'principal' | 'ipAddress' | 'userAgent'> = declaredRequest;
          const { userId, apiKey } = request.principal;
          const responsibleUserId = apiKey?.createdBy ?? userId;
          await storeRequestContext(pool, request.requestId, request, responsibleUserId > 0 ? responsibleUserId : null);
          return declared.handle(declaredRequest);
        },
      };
