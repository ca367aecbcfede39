/** Detects, before the upload, files that cannot be imported. */

const BYTES_MAX = 512 * 1024 * 1024;
const UNSUPPORTED_ENDINGS = /\.(xls|xlsb|ods|zip|gz|pdf|docx?)$/i;

/** Why a file cannot be imported; undefined if it can be uploaded. */
export function fileRefusal({ name, size }: { name: string; size: number }): string | undefined {
  const ending = UNSUPPORTED_ENDINGS.exec(name)?.[1];
  if (ending !== undefined) {
    return `${ending.toUpperCase()} files cannot be imported: save the rows as XLSX or CSV first.`;
  }
  if (size === 0) return 'The file is empty.';
  if (size > BYTES_MAX) return 'The file is too large: at most 512 MiB can be imported.';
  return undefined;
}
