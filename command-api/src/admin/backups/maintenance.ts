/** Requests of command-api to the maintenance process, which manages the files of backups. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { PASSPHRASE_HEADER, Refusal, type RestoreBackup, UploadedFile } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';

const TIMEOUT_MS = 10_000;

/** The codes with which the maintenance process refuses an uploaded file. */
export const UPLOAD_ERRORS = [
  'INVALID',
  'CONFLICT',
  'BACKUP_DAMAGED',
  'WRONG_PASSPHRASE',
  'NEWER_FORMAT',
  'DISK_SPACE',
] as const;

/** The methods reject with a `Refusal` if the maintenance process refuses the request or does not answer. */
export interface Maintenance {
  requestRestore(request: RestoreBackup): Promise<void>;
  /**
   * Streams the body of the request to the maintenance process, and resolves when the file is verified. Also rejects
   * with a `Refusal` if the upload ends early.
   */
  receiveUpload(raw: ApiRequest['raw']): Promise<UploadedFile>;
}

const unavailableRefusal = () =>
  new Refusal('UNAVAILABLE', 'The maintenance process is not available. Please try again.', undefined, 5);

export function openMaintenance(url: string | undefined, serviceSecret: string): Maintenance {
  const credentials = { 'X-Service-Secret': serviceSecret };

  async function post(path: string, init: RequestInit): Promise<Response> {
    if (url === undefined) throw unavailableRefusal();
    return fetch(`${url}${path}`, { method: 'POST', ...init }).catch(() => Promise.reject(unavailableRefusal()));
  }

  async function refuse<Code extends 'RESTORE_NOT_HERE' | (typeof UPLOAD_ERRORS)[number]>(
    answer: Response,
    codes: readonly Code[],
  ): Promise<never> {
    const { error = '', code } = (await answer.json()) as { error?: string; code?: string };
    const expectedCode = codes.find((each) => each === code);
    throw expectedCode === undefined ? unavailableRefusal() : new Refusal(expectedCode, error);
  }

  return {
    async requestRestore({ name, passphrase, requireNewPasswords }) {
      const answer = await post('/internal/restores', {
        headers: { ...credentials, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          fileName: name,
          ...(passphrase !== undefined && { passphrase }),
          keepPasswords: !requireNewPasswords,
        }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!answer.ok) await refuse(answer, ['RESTORE_NOT_HERE', 'CONFLICT']);
    },

    async receiveUpload(raw) {
      const passphrase = raw.get(PASSPHRASE_HEADER);
      const answer = await post('/internal/uploads', {
        headers: {
          ...credentials,
          'Content-Type': 'application/octet-stream',
          ...(passphrase !== undefined && { [PASSPHRASE_HEADER]: passphrase }),
        },
        body: Readable.toWeb(raw) as ReadableStream,
        duplex: 'half',
      }).catch((error: unknown) => {
        throw raw.complete ? error : new Refusal('INVALID', 'The upload ended early');
      });
      if (!answer.ok) await refuse(answer, UPLOAD_ERRORS);
      return UploadedFile.parse(await answer.json());
    },
  };
}
