/** Imports over HTTP: upload a file, start the job that imports it, cancel it or try it again. */
import { activeFields, Refusal, type StagedFileView, StartImport, streams } from '@rdm/contracts';
import { type ApiRequest, idParam, type Pool, type Route, route } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { dataSetFor } from '../authorise.ts';
import type { Commands } from '../commands.ts';
import { existing } from '../dependants.ts';
import type { Execution } from '../execution.ts';
import { kinds } from '../kinds.ts';
import { cancel, retry, start } from './commands.ts';
import { DELIMITERS, detect } from './detection.ts';
import { completeStaging, discardStaged } from './staged-files.ts';
import { ENCODINGS, utf8Transcoder } from './text-encoding.ts';
import { receiveUpload } from './upload.ts';

const UPLOADS = '0c5d1f0a-9f3c-4f0e-8a55-2f6f2d1f9b74';

/** The parts beside the file; what is left out is detected. */
const UploadFields = z.object({
  dataSetId: z.coerce.number({ error: 'Say which data set to import into: dataSetId' }).int().positive(),
  delimiter: z.enum(DELIMITERS, { error: 'The delimiter is a comma, a semicolon, a tab or a vertical bar' }).optional(),
  encoding: z.enum(ENCODINGS, { error: `The encoding is one of ${ENCODINGS.join(', ')}` }).optional(),
  hasHeader: z
    .enum(['true', 'false'], { error: 'hasHeader is true or false' })
    .transform((word) => word === 'true')
    .optional(),
});

export interface ImportDependencies {
  commands: Commands;
  pool: Pool;
  /** An execution that reads for somebody and appends nothing. */
  reading: (request: Pick<ApiRequest, 'principal' | 'needs'>) => Execution;
  /** Tells the worker that there is something to do. */
  wake: () => void;
}

export function importRoutes({ commands, pool, reading, wake }: ImportDependencies): Route[] {
  commands.register([start, cancel, retry]);
  const write = { level: 'WRITE' } as const;
  const waking = async <T>(work: Promise<T>): Promise<T> => {
    const answer = await work;
    wake();
    return answer;
  };

  async function upload(request: ApiRequest): Promise<StagedFileView> {
    const { userId } = request.principal;
    const { fileId, fileName, size, hash, head, ...received } = await receiveUpload(pool, request.raw, userId);
    try {
      const fields = UploadFields.parse(received.fields);
      const x = reading(request);
      const dataSet = await dataSetFor(x, fields.dataSetId);
      const type = existing((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
      const encoding = fields.encoding ?? received.encoding;
      const detected = detect(
        utf8Transcoder(encoding)(head).toString('latin1'),
        head.length === size,
        activeFields(type),
        fields,
      );
      const view: StagedFileView = {
        id: fileId,
        dataSetId: dataSet.id,
        fileName,
        size,
        hash,
        format: 'csv',
        encoding,
        ...detected,
      };
      return requireSame(
        view,
        await completeStaging(pool, uuidv5(`${userId}:${request.idempotencyKey}`, UPLOADS), view),
      );
    } catch (error) {
      await discardStaged(pool, fileId);
      throw error;
    }
  }

  return [
    route('post', '/api/imports', write, { limit: 'stream' }, async (request) => ({
      status: 201,
      body: await upload(request),
    })),
    route('post', '/api/imports/:id/start', write, { body: StartImport }, (request) =>
      waking(commands.handle(start, request, { fileId: fileParam(request), body: request.body })),
    ),
    route('post', '/api/jobs/:id/cancel', write, {}, (request) =>
      waking(commands.handle(cancel, request, { jobId: idParam(request) })),
    ),
    route('post', '/api/jobs/:id/retry', write, {}, (request) =>
      waking(commands.handle(retry, request, { jobId: idParam(request) })),
    ),
  ];
}

/** The same key must mean the same upload. */
function requireSame(asked: StagedFileView, stands: StagedFileView): StagedFileView {
  const told = ({ id: _, ...rest }: StagedFileView) => JSON.stringify(Object.entries(rest).sort());
  const [a, b] = [
    told({ ...asked, suggestedColumns: {}, sample: [] }),
    told({ ...stands, suggestedColumns: {}, sample: [] }),
  ];
  if (a === b) return stands;
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request');
}

function fileParam(request: { params: Record<string, string> }): string {
  const parsed = z.uuid().safeParse(request.params['id']);
  if (!parsed.success) throw new Refusal('NOT_FOUND', 'This upload does not exist');
  return parsed.data;
}
