/** The import draft of the page. Changes of settings are shown immediately and saved in order. */
import { type ChangeDraft, changedSettings, type ImportDraft } from '@rdm/contracts/imports/drafts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeDraft, draftKey, draftQuery } from '../api/drafts.ts';

/** Returns the draft with changed settings, which the page shows before the server responds. */
export function withChange(draft: ImportDraft, change: ChangeDraft): ImportDraft {
  const settings = changedSettings(draft.settings, change);
  return { ...draft, settings, fixes: settings.fixes ?? [] };
}

export function useDraft(id: string | null) {
  const queries = useQueryClient();
  const query = useQuery(draftQuery(id));
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const pendingCount = useRef(0);

  /**
   * Shows a change immediately and saves it. Resolves when the change is saved or has failed. A function as
   * `requested` gets the current draft. It can be newer than the rendered draft, because a click first saves the text
   * of the focused field.
   */
  function change(requested: ChangeDraft | ((draft: ImportDraft) => ChangeDraft)): Promise<void> {
    if (id === null) return Promise.resolve();
    const key = draftKey(id);
    const current = queries.getQueryData<ImportDraft>(key);
    if (current === undefined) return Promise.resolve();
    const nextChange = typeof requested === 'function' ? requested(current) : requested;
    pendingCount.current += 1;
    void queries.cancelQueries({ queryKey: key });
    queries.setQueryData(key, withChange(current, nextChange));
    const save = async () => {
      const current = queries.getQueryData<ImportDraft>(key);
      if (!current) return;
      try {
        const saved = await changeDraft(current, nextChange);
        // If later changes are already shown, the response must not replace the settings.
        queries.setQueryData<ImportDraft>(key, (draft) =>
          draft && pendingCount.current > 1
            ? { ...draft, revision: saved.revision, state: saved.state, check: saved.check }
            : saved,
        );
      } catch (error) {
        if (error instanceof ApiError && error.status === 412) {
          notify.error('You see the newer settings now. Repeat your last change if it is missing.', {
            title: 'This import was changed in another window',
          });
        } else notify.error(messageOf(error), { title: 'The change was not saved' });
        await queries.invalidateQueries({ queryKey: key });
      } finally {
        pendingCount.current -= 1;
      }
    };
    const saved = saving.current.then(save);
    saving.current = saved;
    return saved;
  }

  /** Resolves when all changes so far are saved or have failed. */
  const changesSaved = () => saving.current;

  return { ...query, draft: query.data, change, changesSaved };
}

export type ChangeOfDraft = ReturnType<typeof useDraft>['change'];
