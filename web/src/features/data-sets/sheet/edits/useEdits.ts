/** The edits of one data set while its page is open: sent as they come, kept over a reload, and asked about on leaving. */
import type { InstanceView } from '@rdm/contracts/data-sets/data-sets';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { mayRetry } from '../../../../lib/api/index.ts';
import { useSession } from '../../../../lib/auth/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { changeInstances, currentInstance, reloadInstances } from '../../api/instances.ts';
import { type Batch, Edits, type KeptEdits } from './edits.ts';
import { namesOf, underNames } from './field-renames.ts';
import { saverOf } from './saver.ts';

/** Browsers give a tab about five million characters. */
const KEPT_CHARACTERS_MAX = 2_000_000;

const keyOf = (userId: number | undefined, dataSetId: number) => `sheet-edits:${userId ?? 0}:${dataSetId}`;

/** Edits of this tab that a reload interrupted, or other names of the fields. */
function readKept(key: string, names: KeptEdits['names']): KeptEdits {
  const text = sessionStorage.getItem(key);
  return text === null ? { names, rows: [], unreadable: [] } : underNames(JSON.parse(text) as KeptEdits, names);
}

/** More than the tab's storage takes is kept by the page alone; leaving it asks either way. */
function keep(key: string, kept: KeptEdits): void {
  sessionStorage.removeItem(key);
  if (kept.rows.length + kept.unreadable.length === 0) return;
  const text = JSON.stringify(kept);
  if (text.length <= KEPT_CHARACTERS_MAX) sessionStorage.setItem(key, text);
}

export interface UsedEdits {
  edits: Edits;
  /** Sends what waits, and answers when nothing more can be sent. */
  save: () => Promise<void>;
}

export function useEdits(
  dataSetId: number,
  fields: readonly { fieldId: number; name: string }[],
  rows: readonly InstanceView[],
): UsedEdits {
  const queries = useQueryClient();
  const { data: user } = useSession();
  const key = keyOf(user?.id, dataSetId);
  const [timers] = useState(() => new Set<number>());
  const [used] = useState((): UsedEdits => {
    const edits = new Edits(readKept(key, namesOf(fields)));
    const save = saverOf(edits, {
      send: (batch) => changeInstances(dataSetId, withFieldIds(batch, edits.names)),
      current: (id) => currentInstance(dataSetId, id),
      reasonOf: messageOf,
      onSaved: () => void reloadInstances(queries, dataSetId),
      mayRetry,
      later: (ms, then) => {
        const timer = window.setTimeout(() => {
          timers.delete(timer);
          then();
        }, ms);
        timers.add(timer);
      },
    });
    return { edits, save };
  });
  const { edits, save } = used;

  useEffect(() => {
    const changed = () => {
      keep(key, edits.kept());
      void save();
    };
    const online = () => edits.retry();
    const leave = edits.subscribe(changed);
    window.addEventListener('online', online);
    void save();
    return () => {
      leave();
      window.removeEventListener('online', online);
    };
  }, [edits, save, key]);

  useEffect(
    () => () => {
      for (const timer of timers) window.clearTimeout(timer);
    },
    [timers],
  );

  useEffect(() => edits.shown(rows), [edits, rows]);

  return used;
}

/** Says which fields were meant: names may be other fields' by the time this arrives. */
const withFieldIds = (batch: Batch, names: KeptEdits['names']) =>
  batch.map((row) => ({
    ...row,
    fieldIds: Object.fromEntries(Object.keys(row.data).flatMap((name) => (name in names ? [[name, names[name]]] : []))),
  }));
