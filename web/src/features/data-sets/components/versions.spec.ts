/** Tests the titles of row versions. */
import { describe, expect, it } from 'vitest';
import type { InstanceVersion } from '../api/instances.ts';
import { versionTitle } from './versions.ts';

const version = (more: Partial<InstanceVersion>): InstanceVersion => ({
  seq: 1,
  revision: 1,
  at: '2026-01-01T00:00:00Z',
  apiKeyId: null,
  apiKeyName: null,
  userId: 2,
  jobId: null,
  deleted: false,
  data: {},
  changes: {},
  ...more,
});

describe('a version of a row', () => {
  it('is titled as added or imported if it is the first', () => {
    expect(versionTitle(version({}), undefined)).toBe('Added');
    expect(versionTitle(version({ jobId: 4 }), undefined)).toBe('Imported by job 4');
  });

  it('is titled as changed, with the job if another import changed the row', () => {
    expect(versionTitle(version({ jobId: 4 }), version({ jobId: 4 }))).toBe('Changed');
    expect(versionTitle(version({ jobId: 7 }), version({ jobId: 4 }))).toBe('Changed by import job 7');
  });

  it('is titled as deleted or restored', () => {
    expect(versionTitle(version({ deleted: true }), version({}))).toBe('Deleted');
    expect(versionTitle(version({}), version({ deleted: true }))).toBe('Restored');
  });
});
