/** Opens a file in the format that its content has. */
import type { ReadOptions } from '@rdm/contracts';
import type { FileBytes, Source } from './source.ts';
import { openText } from './text-source.ts';

export async function openSource(file: FileBytes, options: ReadOptions): Promise<Source> {
  return openText(file, options);
}
