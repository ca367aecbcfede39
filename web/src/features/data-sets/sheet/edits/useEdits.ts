/**
 * The edits of one data set while its page is open. Edits are sent continuously, and stored in the browser tab so that
 * a reload of the page does not lose them.
 */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { mayRetry } from '../../../../lib/api/index.ts';
import { useSession } from '../../../../lib/auth/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { changeInstances, currentInstance, reloadInstances } from '../../api/instances.ts';
import { Edits, type SentRows, type StoredEdits } from './edits.ts';
import { fieldIdsOf, withFieldNames } from './field-renames.ts';
import { createSaver } from './saver.ts';

/** Browsers limit the storage of a tab to about five million characters. */
const STORED_CHARACTERS_MAX = 2_000_000;

const keyOf = (userId: number | undefined, dataSetId: number) => `sheet-edits:${userId ?? 0}:${dataSetId}`;

/** Reads the stored edits of this tab, with the current names of the fields. */
function readStored(key: string, names: StoredEdits['names']): StoredEdits {
  const text = sessionStorage.getItem(key);
  return text === null ? { names, rows: [], unreadable: [] } : withFieldNames(JSON.parse(text) as StoredEdits, names);
}

/**
 * Stores the edits for a reload, unless the text is too long. The page always requests confirmation before the user
 * leaves with unsaved edits.
 */
function store(key: string, stored: StoredEdits): void {
  sessionStorage.removeItem(key);
  if (stored.rows.length + stored.unreadable.length === 0) return;
  const text = JSON.stringify(stored);
  if (text.length <= STORED_CHARACTERS_MAX) sessionStorage.setItem(key, text);
}

export interface EditsAndSave {
  edits: Edits;
  /** Sends pending edits; resolves when no edit is left that can be sent. */
  save: () => Promise<void>;
}

export function useEdits(
  dataSetId: number,
  fields: readonly { fieldId: number; name: string }[],
  rows: readonly InstanceView[],
): EditsAndSave {
  const queries = useQueryClient();
  const { data: user } = useSession();
  const key = keyOf(user?.id, dataSetId);
  const [timers] = useState(() => new Set<number>());
  const [editsAndSave] = useState((): EditsAndSave => {
    const edits = new Edits(readStored(key, fieldIdsOf(fields)));
    const save = createSaver(edits, {
      send: (sentRows) => changeInstances(dataSetId, withFieldIds(sentRows, edits.names)),
      readCurrent: (id) => currentInstance(dataSetId, id),
      reasonOf: messageOf,
      onSaved: () => void reloadInstances(queries, dataSetId),
      mayRetry,
      runLater: (ms, then) => {
        const timer = window.setTimeout(() => {
          timers.delete(timer);
          then();
        }, ms);
        timers.add(timer);
      },
    });
    return { edits, save };
  });
  const { edits, save } = editsAndSave;

  useEffect(() => {
    const storeAndSave = () => {
      store(key, edits.snapshot());
      void save();
    };
    const retryOnline = () => edits.retry();
    const unsubscribe = edits.subscribe(storeAndSave);
    window.addEventListener('online', retryOnline);
    void save();
    return () => {
      unsubscribe();
      window.removeEventListener('online', retryOnline);
    };
  }, [edits, save, key]);

  useEffect(
    () => () => {
      for (const timer of timers) window.clearTimeout(timer);
    },
    [timers],
  );

  useEffect(() => edits.dropLoaded(rows), [edits, rows]);

  return editsAndSave;
}

/** Adds the field ids to the request, because a field name may belong to another field when the request arrives. */
const withFieldIds = (sentRows: SentRows, names: StoredEdits['names']) =>
  sentRows.map((row) => ({
    ...row,
    fieldIds: Object.fromEntries(Object.keys(row.data).flatMap((name) => (name in names ? [[name, names[name]]] : []))),
  }));
