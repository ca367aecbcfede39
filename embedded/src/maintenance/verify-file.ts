/** Verifies the entries, the records, the chain and the signature of a backup. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { missingEventReason } from '@rdm/contracts';
import { keyIdOf, verify } from '@rdm/platform';
import { Chain } from './chain.ts';
import { damaged, MaintenanceError } from './errors.ts';
import { type BackupHeader, type BackupTrailer, TRAILER } from './format/entries.ts';
import { isEncrypted, readBackup } from './format/reader.ts';
import { signedBytes } from './signature.ts';

export interface VerifyOptions {
  passphrase?: string | undefined;
  /** Public keys (PEM) that this installation trusts. */
  trustedKeys: readonly string[];
  /** Whether to accept the key in the file if no trusted key made the signature. */
  trustFileKey?: boolean;
  /** Receives the progress in bytes of the file. */
  onProgress?: (progress: { done: number; total: number }) => void;
  signal?: AbortSignal;
}

export interface VerifiedBackup {
  header: BackupHeader;
  trailer: BackupTrailer;
  bytes: number;
  sha256: string;
  encrypted: boolean;
  /** Whether a trusted key made the signature. If false, the key in the file made it. */
  isKeyTrusted: boolean;
}

/**
 * Verifies a backup. Rejects with a `MaintenanceError` if a check fails: `BACKUP_DAMAGED`, `WRONG_PASSPHRASE`,
 * `NEWER_FORMAT` or `UNKNOWN_KEY`.
 */
export async function verifyFile(file: string, options: VerifyOptions): Promise<VerifiedBackup> {
  const { passphrase, onProgress, signal } = options;
  const { size: total } = await stat(file);
  const hash = createHash('sha256');
  let bytes = 0;
  const onBytes = (piece: Buffer) => {
    hash.update(piece);
    bytes += piece.length;
    onProgress?.({ done: bytes, total });
  };
  const chain = new Chain();
  let header: BackupHeader | undefined;
  let trailer: BackupTrailer | undefined;
  for await (const part of readBackup(file, { passphrase, signal, onBytes })) {
    if (part.kind === 'header') header = part.header;
    if (part.kind === 'trailer') trailer = part.trailer;
    if (part.kind === 'records') for (const record of part.records) chain.add(record);
  }
  if (header === undefined || trailer === undefined) throw new Error('The reader ended without a header or a trailer');
  const isKeyTrusted = checkSignature(trailer, options);
  requireSameCut(header, trailer, chain);
  requireProvedPurges(trailer, chain);
  return { header, trailer, bytes, sha256: hash.digest('hex'), encrypted: await isEncrypted(file), isKeyTrusted };
}

/** Checks the signature; returns whether a trusted key made it. */
function checkSignature(trailer: BackupTrailer, { trustedKeys, trustFileKey = false }: VerifyOptions): boolean {
  const trusted = trustedKeys.find((key) => keyIdOf(key) === trailer.keyId);
  if (!isSignedBy(trailer, trusted ?? trailer.publicKey)) {
    throw damaged(TRAILER, `the signature is not that of the key ${trailer.keyId}`);
  }
  if (trusted === undefined && !trustFileKey) {
    const message = `The backup is complete, but it is signed by a key that only this file names: ${trailer.keyId}. Compare this fingerprint with that of the key of the installation that made the backup, and name its public key.`;
    throw new MaintenanceError('UNKNOWN_KEY', message, { entry: TRAILER });
  }
  return trusted !== undefined;
}

function isSignedBy(trailer: BackupTrailer, key: string): boolean {
  try {
    return (
      keyIdOf(key) === trailer.keyId && verify(signedBytes(trailer), Buffer.from(trailer.signature, 'base64'), key)
    );
  } catch {
    // The file does not contain a valid key.
    return false;
  }
}

/**
 * Compares the trailer with the header and the chain. The checksums and the signature match, so a difference existed
 * when the file was signed.
 */
function requireSameCut(header: BackupHeader, { cut, events }: BackupTrailer, chain: Chain): void {
  if (cut.position !== header.cut.position) throw damaged(TRAILER, 'its position is not that of the header');
  if (cut.seq !== chain.seq || events !== chain.seq) {
    throw damaged(TRAILER, `it names ${events} events, and the file has ${chain.seq}`);
  }
  if (cut.chainHash !== chain.hash) throw damaged(TRAILER, 'the hash chain of the events ends in another hash');
}

/**
 * Checks that a signed manifest in the file names each purged event, and that the trailer names the same purges as the
 * log.
 */
function requireProvedPurges({ purges }: BackupTrailer, chain: Chain): void {
  const [unproved] = chain.unproved();
  if (unproved) throw damaged(LOG, unproved.problem ?? missingEventReason(unproved.seq));
  if (purges.join() !== chain.purges.join()) throw damaged(TRAILER, 'it names other purges than the log');
}

const LOG = 'log';
