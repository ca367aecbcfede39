/** The edits of one data set while its page is open: sent continuously, kept over a reload, and confirmed before leaving. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { mayRetry } from '../../../../lib/api/index.ts';
import { useSession } from '../../../../lib/auth/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { changeInstances, currentInstance, reloadInstances } from '../../api/instances.ts';
import { type Batch, Edits, type KeptEdits } from './edits.ts';
import { namesOf, withFieldNames } from './field-renames.ts';
import { createSaver } from './saver.ts';

/** Browsers limit the storage of a tab to about five million characters. */
const KEPT_CHARACTERS_MAX = 2_000_000;

const keyOf = (userId: number | undefined, dataSetId: number) => `sheet-edits:${userId ?? 0}:${dataSetId}`;

/** Edits of this tab from before a reload or a rename of fields. */
function readKept(key: string, names: KeptEdits['names']): KeptEdits {
  const text = sessionStorage.getItem(key);
  return text === null ? { names, rows: [], unreadable: [] } : withFieldNames(JSON.parse(text) as KeptEdits, names);
}

/** Edits that exceed the storage are kept in memory only; leaving the page requests confirmation either way. */
function keep(key: string, kept: KeptEdits): void {
  sessionStorage.removeItem(key);
  if (kept.rows.length + kept.unreadable.length === 0) return;
  const text = JSON.stringify(kept);
  if (text.length <= KEPT_CHARACTERS_MAX) sessionStorage.setItem(key, text);
}

export interface UsedEdits {
  edits: Edits;
  /** Sends pending edits; resolves when nothing more can be sent. */
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
    const save = createSaver(edits, {
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

/** Sends field ids: names may belong to other fields when the request arrives. */
const withFieldIds = (batch: Batch, names: KeptEdits['names']) =>
  batch.map((row) => ({
    ...row,
    fieldIds: Object.fromEntries(Object.keys(row.data).flatMap((name) => (name in names ? [[name, names[name]]] : []))),
  }));
