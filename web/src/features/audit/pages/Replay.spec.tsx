/** Tests replay: the events of one entity or stream, step by step, with the changes of each. */
import type { ReplayStep } from '@rdm/contracts/audit/audit-log-view';
import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, showPage, steward } from '../../../testing/page.tsx';
import Replay from './Replay.tsx';

const step = (
  revision: number,
  type: string,
  data: unknown,
  state: unknown,
  names: ReplayStep['names'] = {},
): ReplayStep => ({
  seq: revision + 10,
  revision,
  type,
  occurredAt: '2026-01-01T00:00:00Z',
  actorId: null,
  apiKeyId: null,
  apiKeyName: null,
  sourceType: 'UI',
  correlationId: 'c',
  data,
  state,
  names,
});

const STEPS = [
  step(0, 'CrosswalkDefined', { name: 'ISO' }, { name: 'ISO', approvalStatus: 'DRAFT' }, { 'crosswalk:3': 'ISO' }),
  step(1, 'CrosswalkSubmitted', {}, { name: 'ISO', approvalStatus: 'PENDING' }),
  step(2, 'CrosswalkApproved', { comment: 'Fine' }, { name: 'ISO', approvalStatus: 'APPROVED', approvedBy: 3 }),
];
vi.setConfig({ testTimeout: 20_000 });

beforeEach(() => {
  fakeServer({
    'GET /api/audit-logs/replay': { body: STEPS },
    'GET /api/audit-logs/head': { body: { head: { seq: 12, chainHash: 'h' } } },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (at: string) => showPage(<Replay />, { at, user: { ...steward, isAdmin: true } });
const state = () => within(screen.getByLabelText('State after the event'));

describe('replay', () => {
  it('starts with the first event and the values that it added', async () => {
    open('/?entity=crosswalk:3');
    expect(await screen.findByText('Step 1 of 3')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Replay of crosswalk “ISO”');
    expect(state().getByText('Status').nextSibling?.textContent).toBe('+ after: Draft');
  });

  it('goes forward and back, with only the changed values', async () => {
    open('/?entity=crosswalk:3');
    fireEvent.click(await screen.findByRole('button', { name: 'Next' }));
    expect(await screen.findByText('Step 2 of 3')).toBeTruthy();
    expect(state().getByText('Status').nextSibling?.textContent).toBe('− before: Draft+ after: Pending');
    expect(state().queryByText('Name')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
    expect(await screen.findByText('Step 1 of 3')).toBeTruthy();
  });

  it('goes to the step of the slider', async () => {
    open('/?entity=crosswalk:3');
    fireEvent.change(await screen.findByRole('slider'), { target: { value: '3' } });
    expect(await screen.findByText('Step 3 of 3')).toBeTruthy();
    expect(within(screen.getByLabelText('Event data')).getByText('Fine')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Next' }).hasAttribute('disabled')).toBe(true);
  });

  it('shows names from the time of the event instead of ids', async () => {
    const row = (revision: number, values: object) => ({ id: 64, revision, key: '["DE"]', values, dataSetId: 5 });
    const byKey = { actorId: 3, apiKeyId: 7, apiKeyName: 'Nightly' };
    const added = step(0, 'InstancesAdded', { rows: [{ id: 64, values: { 1: 'DE' } }] }, row(4, { 1: 'DE' }), {
      ...{ 'instances:5': 'Countries', 'dataSet:5': 'Countries', 'field:1': 'code', 'field:2': 'name' },
    });
    const changed = { rows: [{ id: 64, values: { 2: 'Germany' } }] };
    const renamed = step(1, 'InstancesChanged', changed, row(5, { 1: 'DE', 2: 'Germany' }), { 'field:2': 'label' });
    fakeServer({
      'GET /api/audit-logs/replay': { body: [added, { ...renamed, ...byKey }] },
      'GET /api/audit-logs/head': { body: { head: null } },
      'GET /api/users/names': { body: [{ id: 3, username: 'ada', displayName: 'Ada' }] },
    });
    open('/?entity=instance:5:64&step=2&all=1');
    expect(await screen.findByText('label')).toBeTruthy();
    expect(state().getByText('Key').nextSibling?.textContent).toBe('DE');
    expect(state().getByRole('link', { name: 'Countries' }).getAttribute('href')).toBe('/reference-data/5?asOf=seq:11');
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Replay of row “DE” of data set “Countries”');
    expect(await screen.findAllByText(/^API key "Nightly" \(Ada\)/)).toHaveLength(2);
    expect(screen.getByRole('region', { name: 'Instances changed' }).textContent).toContain('version 5');
    // The first step has its own names of fields.
    fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
    expect(within(await screen.findByLabelText('Event data')).getByText('Row 1 › code')).toBeTruthy();
  });

  it('names the user who signed up as the actor of the registration', async () => {
    const data = { userId: 7, roleId: 4 };
    fakeServer({
      'GET /api/audit-logs/replay': { body: [step(0, 'UserRegistered', data, { id: 7, roleId: 4 })] },
      'GET /api/audit-logs/head': { body: { head: null } },
      'GET /api/users/names': { body: [{ id: 7, username: 'noor', displayName: 'Noor' }] },
    });
    open('/?stream=access-main');
    expect(await screen.findAllByText(/^Noor ·/)).toHaveLength(2);
  });

  it('does not compare the states of different entities of a stream', async () => {
    const collection = step(0, 'CollectionCreated', { collectionId: 1 }, { id: 1, name: 'Sales' });
    const group = step(1, 'GroupCreated', { groupId: 2 }, { id: 2, members: [] });
    fakeServer({
      'GET /api/audit-logs/replay': { body: [collection, group] },
      'GET /api/audit-logs/head': { body: { head: null } },
    });
    open('/?stream=access-main&step=2');
    expect(await screen.findByText('Step 2 of 2')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(
      'Replay of users, groups, roles and collections',
    );
    expect(screen.getByLabelText('State after the event').textContent).toBe('Id2');
    expect(screen.queryByRole('switch', { name: 'Show unchanged' })).toBeNull();
  });

  it('names the entity of a stream', async () => {
    open('/?stream=crosswalk-3');
    expect(await screen.findByRole('heading', { level: 1, name: 'Replay of crosswalk “ISO”' })).toBeTruthy();
  });

  it('names the user of a stream', async () => {
    fakeServer({
      'GET /api/audit-logs/replay': { body: [step(0, 'PasswordChanged', {}, null)] },
      'GET /api/audit-logs/head': { body: { head: null } },
      'GET /api/users/names': { body: [{ id: 7, username: 'noor', displayName: 'Noor' }] },
    });
    open('/?stream=user-7');
    expect(await screen.findByRole('heading', { level: 1, name: 'Replay of user “Noor”' })).toBeTruthy();
  });

  it('replays nothing if the link names no entity or stream', async () => {
    open('/');
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('Replay');
    expect(screen.getByText('Nothing to replay')).toBeTruthy();
  });

  it('shows unchanged values on request', async () => {
    open('/?entity=crosswalk:3&step=2');
    fireEvent.click(await screen.findByRole('switch', { name: 'Show unchanged' }));
    expect(await state().findByText('Name')).toBeTruthy();
  });
});
