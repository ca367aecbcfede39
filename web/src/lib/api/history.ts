/** Reads version histories. */
import { PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { Page } from '@rdm/contracts/lists/filter';
import { read } from './client.ts';

/** Reads the newest versions of the record at the path: at most `PAGE_SIZE_MAX`, newest first. */
export const readHistory = async <Version>(path: string): Promise<Version[]> =>
  (await read<Page<Version>>(`${path}/history`, { query: { pageSize: PAGE_SIZE_MAX } })).items;
