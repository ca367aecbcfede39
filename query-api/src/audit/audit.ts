/** Routes of the audit log, for administrators: list, replay, head, signing keys, verification and exports. */
import {
  AUDIT_FIELDS,
  AUDIT_KINDS,
  AuditLogView,
  ChainVerification,
  ListQuery,
  pageOf,
  Refusal,
  ReplayStep,
  SignedHead,
  SigningKeyView,
} from '@rdm/contracts';
import { Purged, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { readUserNames, usernameOf } from '../access/user-names.ts';
import { entityName } from '../entities/audited-names.ts';
import { download, filesOf } from '../http/download.ts';
import { listJson, whereClause } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { openPurgedEntities, type PurgedEntities } from '../read-models/purged-entities.ts';
import { answer, type ReadModels, type ReadRequest, type ReadResult, type Tables } from '../read-models/read-models.ts';
import { all, identifier, join, type Sql, sql } from '../read-models/sql.ts';
import type { AuditRow } from './audit-chain.ts';
import { approvalColumns, businessContext, operationMetadata } from './audit-details.ts';
import { verifyChain } from './audit-verification.ts';
import { EXPORT_COLUMNS, FORMATS } from './export-columns.ts';
import { LOG_FORMAT, readLogExport, requireWhole } from './log-export.ts';
import { replay, type Step, type Subject, subjectOfEntity } from './replay.ts';
import { withNames } from './replay-names.ts';
import { signHead, type UnsignedHead } from './signed-head.ts';

const AuditQuery = ListQuery.extend({ kind: z.enum(AUDIT_KINDS).optional().describe('Only the events of this kind.') });
type AuditQuery = z.infer<typeof AuditQuery>;
const ExportQuery = AuditQuery.extend({
  format: z
    .enum(['csv', 'ndjson', 'log'])
    .default('csv')
    .describe('`log`: the whole log with the contents of its events, compressed, for `npm run verify-log`.'),
});
const ReplayQuery = z.object({
  stream: z.string().max(200).optional().describe('The stream to replay, such as `crosswalk-3`.'),
  entity: z.string().max(200).optional().describe('The entity to replay, such as `crosswalk:3` or `mapping:3:1089`.'),
  offset: z.coerce.number().int().min(0).default(0).describe('The number of steps to skip.'),
  limit: z.coerce.number().int().min(1).max(1_000).default(200).describe('The maximum number of steps to return.'),
});
const VerifyQuery = z.object({
  seq: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('The `seq` of a head that was exported earlier: the chain must contain it.'),
  chainHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe('The `chainHash` of that head.'),
});

const username = usernameOf(sql`u`, sql`a.actor_id`);

function definition(tables: Tables, kind: AuditQuery['kind']): ListDefinition {
  const columns = {
    id: sql`a.seq`,
    createdAt: sql`a.at`,
    updatedAt: sql`a.at`,
    seq: sql`a.seq`,
    purgeId: sql`a.purge_id`,
    eventId: sql`a.event_id`,
    stream: sql`a.stream`,
    streamRevision: sql`a.stream_revision`,
    timestamp: sql`a.at`,
    userId: sql`a.actor_id`,
    username,
    apiKeyId: sql`a.api_key_id`,
    apiKeyName: sql`k.name`,
    kind: sql`a.kind`,
    action: sql`a.action`,
    entityType: sql`a.entity_type`,
    entityId: sql`a.entity_id`,
    entityName: entityName(tables, sql`a.entity_type`, sql`a.entity_id`),
    statusBefore: sql`a.status_before`,
    statusAfter: sql`a.status_after`,
    affectedRecordCount: sql`a.affected_record_count`,
    recordIds: sql`a.record_ids`,
    changeSummary: changeSummary(tables),
    submissionComment: sql`a.submission_comment`,
    rejectionReason: sql`a.rejection_reason`,
    severity: sql`a.severity`,
    targetUserId: sql`a.target_user_id`,
    roleChange: sql`CASE WHEN a.role_change IS NOT NULL THEN a.role_change || jsonb_build_object('name',
        (SELECT role.name FROM ${tables('roles')} role WHERE role.id = (a.role_change ->> 'roleId')::bigint)) END`,
    groupChange: sql`a.group_change`,
    permissionChange: sql`a.permission_change`,
    validationResults: sql`a.validation_results`,
    businessContext: businessContext(tables),
    operationMetadata: operationMetadata(tables),
    ...approvalColumns(tables),
    requestId: sql`a.request_id`,
    correlationId: sql`a.correlation_id`,
    causationId: sql`a.causation_id`,
    jobId: sql`a.job_id`,
    sourceType: sql`a.source_type`,
    ipAddress: sql`r.ip_address`,
    userAgent: sql`r.user_agent`,
    digest: sql`a.digest`,
    chainHash: sql`a.chain_hash`,
  } satisfies Record<keyof AuditLogView, Sql>;
  return {
    from: sql`${tables('audit_logs')} a
      LEFT JOIN identity.users u ON u.id = a.actor_id
      LEFT JOIN identity.api_keys k ON k.id = a.api_key_id
      LEFT JOIN identity.request_contexts r ON r.request_id = a.request_id`,
    where: kind === undefined ? sql`true` : sql`a.kind = ${kind}`,
    columns,
    alwaysSelected: ['seq', 'stream'],
    fields: fieldMap(AUDIT_FIELDS, columns, { roleChange: sql`a.role_change` }),
    search: [sql`a.action`, sql`a.change_summary`, sql`a.submission_comment`, sql`a.rejection_reason`],
    id: sql`a.seq`,
    isFetchedById: true,
    defaultSort: { sql: sql`a.seq`, dataType: 'number', order: 'DESC' },
    // Seqs have no gaps: the last seq is the number of rows.
    totalCount:
      kind === undefined
        ? sql`(SELECT coalesce(max(seq), 0) FROM ${tables('audit_logs')})`
        : sql`(SELECT count(*) FROM ${tables('audit_logs')} WHERE kind = ${kind})`,
  };
}

/** The summary of a row. The summary of a purged event is a text such as `Purged on 26 November 2026 by purge 4`. */
const changeSummary = (tables: Tables): Sql => sql`CASE WHEN a.purge_id IS NULL THEN a.change_summary ELSE
  (SELECT 'Purged on ' || to_char(sealed.at AT TIME ZONE 'UTC', 'FMDD FMMonth YYYY') || ' by purge ' || a.purge_id
     FROM ${tables('audit_logs')} sealed
    WHERE sealed.entity_type = 'purge' AND sealed.entity_id = a.purge_id AND sealed.type = 'PurgeManifestSealed' LIMIT 1) END`;

/** Yields all rows that match the query, oldest first. */
const readExport = (readModels: ReadModels, readRequest: ReadRequest, query: AuditQuery) =>
  readModels.stream<AuditLogView>(readRequest, (tables) => {
    const list = definition(tables, query.kind);
    const selected = EXPORT_COLUMNS.map((name) => sql`${list.columns[name] as Sql} AS ${identifier(name)}`);
    const where = all([list.where, whereClause(query, list) ?? sql`true`]);
    return sql`SELECT ${join(selected, ', ')} FROM ${list.from} WHERE ${where} ORDER BY a.seq`;
  });

/** Yields all stored rows ordered by seq, in the form that the verification compares. */
async function* readStoredRows(readModels: ReadModels): AsyncGenerator<AuditRow[]> {
  const batches = readModels.stream<AuditRow>(
    {},
    (
      tables,
    ) => sql`SELECT seq, purge_id AS "purgeId", event_id AS "eventId", stream, stream_revision AS "streamRevision", type, kind, action,
        entity_type AS "entityType", entity_id AS "entityId", status_before AS "statusBefore", status_after AS "statusAfter",
        affected_record_count AS "affectedRecordCount", record_ids AS "recordIds", change_summary AS "changeSummary",
        submission_comment AS "submissionComment", rejection_reason AS "rejectionReason", severity,
        target_user_id AS "targetUserId", role_change AS "roleChange", group_change AS "groupChange",
        permission_change AS "permissionChange", validation_results AS "validationResults", job_id AS "jobId", actor_id AS "actorId", api_key_id AS "apiKeyId", at, request_id AS "requestId",
        correlation_id AS "correlationId", causation_id AS "causationId", source_type AS "sourceType",
        data_set_ids AS "dataSetIds", digest, chain_hash AS "chainHash"
      FROM ${tables('audit_logs')} ORDER BY seq`,
  );
  for await (const { rows } of batches) yield rows;
}

function subjectOf({ stream, entity }: z.infer<typeof ReplayQuery>): Subject {
  if (entity !== undefined) return subjectOfEntity(entity);
  if (stream === undefined) throw new Refusal('INVALID', 'A replay needs the parameter stream or entity');
  return { stream, entity: undefined };
}

type LoggedStep = Pick<ReplayStep, 'revision' | 'seq' | 'apiKeyName'>;

/** Returns the requested page of a replay, and the total number of steps. Throws INVALID, NOT_FOUND or PURGED. */
async function readSteps(
  { store, readModels }: QueryContext,
  purged: PurgedEntities,
  readRequest: ReadRequest,
  query: z.infer<typeof ReplayQuery>,
): Promise<{ logEntries: ReadResult<LoggedStep>; steps: ReplayStep[]; total: number }> {
  const subject = subjectOf(query);
  const steps: (Omit<Step, 'state'> & { state: unknown })[] = [];
  let total = 0;
  try {
    for await (const step of replay(subject, (stream) => store.read(stream))) {
      if (total >= query.offset && steps.length < query.limit) steps.push({ ...step, state: step.state() });
      total += 1;
    }
  } catch (error) {
    if (error instanceof Purged) await purged.refuseIfPurged(subject.stream);
    throw error;
  }
  // After a restore, the stream of a purged entity does not exist.
  if (total === 0) await purged.refuseIfPurged(subject.stream);
  if (total === 0) throw new Refusal('NOT_FOUND', 'There are no events to replay');
  const revisions = steps.map(({ event }) => event.revision);
  const logEntries = await readModels.read<LoggedStep>(
    readRequest,
    (tables) => sql`SELECT a.stream_revision AS revision, a.seq, k.name AS "apiKeyName" FROM ${tables('audit_logs')} a
      LEFT JOIN identity.api_keys k ON k.id = a.api_key_id
      WHERE a.stream = ${subject.stream} AND a.stream_revision = ANY(${revisions}::bigint[])`,
  );
  const logged = new Map(logEntries.rows.map((row) => [row.revision, row]));
  const unnamed = steps.map(({ event, data, state }) => ({
    // The seq is 0 if the event is not in the audit log yet.
    seq: logged.get(event.revision)?.seq ?? 0,
    revision: event.revision,
    type: event.type,
    occurredAt: event.metadata.occurredAt,
    actorId: event.metadata.actorId,
    apiKeyId: event.metadata.apiKeyId ?? null,
    apiKeyName: logged.get(event.revision)?.apiKeyName ?? null,
    sourceType: event.metadata.sourceType,
    correlationId: event.metadata.$correlationId,
    data,
    state,
  }));
  return { logEntries, total, steps: await withNames(readModels, readRequest, subject, unnamed) };
}

export function auditRoutes(context: QueryContext): Route[] {
  const { readModels, store } = context;
  const purged = openPurgedEntities(store);
  const administrator = { administrator: true } as const;
  return [
    route(
      'get',
      '/api/audit-logs',
      administrator,
      { summary: 'List the audit log', hasPast: false, answers: { 200: pageOf(AuditLogView) }, query: AuditQuery },
      (request) => listJson(readModels, request, (tables) => definition(tables, request.query.kind)),
    ),

    route(
      'get',
      '/api/audit-logs/replay',
      administrator,
      {
        summary: 'Replay the events of a stream or entity, with the state after each event',
        errors: ['NOT_FOUND', 'PURGED'],
        example: { query: { stream: 'referenceType-1' } },
        answers: { 200: z.array(ReplayStep) },
        query: ReplayQuery,
      },
      async (request) => {
        const { logEntries, steps, total } = await readSteps(
          context,
          purged,
          { minPosition: request.minPosition },
          request.query,
        );
        return { ...answer(logEntries, steps), headers: { 'X-Total': String(total) } };
      },
    ),

    route(
      'get',
      '/api/audit-logs/head',
      administrator,
      {
        summary: 'Read the last entry of the audit log with its hash',
        hasPast: false,
        answers: {
          200: z.object({
            head: z.object({ seq: z.number(), chainHash: z.string(), at: z.string() }).nullable(),
            position: z.string(),
          }),
        },
      },
      async (request) => {
        const found = await readModels.read<{ seq: number; chainHash: string; at: string }>(
          { minPosition: request.minPosition },
          (tables) =>
            sql`SELECT seq, chain_hash AS "chainHash", at FROM ${tables('audit_logs')} ORDER BY seq DESC LIMIT 1`,
        );
        return answer(found, { head: found.rows[0] ?? null, position: found.position });
      },
    ),

    route(
      'get',
      '/api/audit-logs/signed-head',
      administrator,
      {
        summary: 'Download the head of the audit log with a signature',
        hasPast: false,
        answers: { 200: SignedHead },
        errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
      },
      async (request) => {
        const found = await readModels.read<Omit<UnsignedHead, 'logId'>>(
          { minPosition: request.minPosition },
          (tables) =>
            sql`SELECT seq, chain_hash AS "chainHash", at FROM ${tables('audit_logs')} ORDER BY seq DESC LIMIT 1`,
        );
        return answer(found, await signHead(context, found.one()));
      },
    ),

    route(
      'get',
      '/api/audit-logs/keys',
      administrator,
      { summary: 'List the keys that sign the audit log', hasPast: false, answers: { 200: z.array(SigningKeyView) } },
      async (request) => {
        const found = await readModels.read<SigningKeyView>(
          { minPosition: request.minPosition },
          (tables) => sql`SELECT key_id AS "keyId", public_key AS "publicKey", registered_at AS "registeredAt"
            FROM ${tables('signing_keys')} ORDER BY valid_from`,
        );
        return answer(found, found.rows);
      },
    ),

    route(
      'get',
      '/api/audit-logs/verify',
      administrator,
      { summary: 'Verify the hash chain of the audit log', answers: { 200: ChainVerification }, query: VerifyQuery },
      async ({ query }) => {
        const { seq, chainHash } = query;
        if ((seq === undefined) !== (chainHash === undefined)) {
          throw new Refusal('INVALID', 'An exported head needs both seq and chainHash');
        }
        const exported = seq === undefined || chainHash === undefined ? undefined : { seq, chainHash };
        const readUsernames = async (ids: readonly number[]) =>
          new Map((await readUserNames(readModels, ids)).rows.map(({ id, username }) => [id, username]));
        return { body: await verifyChain({ store, rows: readStoredRows(readModels), exported, readUsernames }) };
      },
    ),

    route(
      'get',
      '/api/audit-logs/export',
      administrator,
      {
        summary: 'Download the audit log',
        hasPast: false,
        answers: filesOf('text/csv', 'application/x-ndjson', 'application/gzip'),
        query: ExportQuery,
      },
      (request) => {
        const { format, kind } = request.query;
        const name = kind === undefined ? 'audit-log' : `audit-log-${kind}`;
        // `download` checks the access to the route again. The audit log has no further grants to check.
        const recheck = () => Promise.resolve();
        if (format === 'log') {
          requireWhole(request.query);
          const lines = readLogExport(context, { minPosition: request.minPosition });
          return download(context, request, { name: 'log', format: LOG_FORMAT, gzip: true, recheck }, lines);
        }
        const rows = readExport(readModels, request, request.query);
        return download(context, request, { name, format: FORMATS[format], recheck }, rows);
      },
    ),
  ];
}
