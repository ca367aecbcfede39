/** Reads version histories. */
import { PAGE_SIZE_MAX } from '@rdm/contracts/constants';
import type { Page } from '@rdm/contracts/lists/filter';
import { read } from './client.ts';

/** The newest versions of the record at the path, newest first; at most one page of the maximum size. */
export const readHistory = async <Version>(path: string): Promise<Version[]> =>
  (await read<Page<Version>>(`${path}/history`, { query: { pageSize: PAGE_SIZE_MAX } })).items;
