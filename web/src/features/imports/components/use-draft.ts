/** The import draft of the page. Changes of its settings are shown at once, and saved one after the other. */
import { type ChangeDraft, changedSettings, type ImportDraft } from '@rdm/contracts/imports/drafts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeDraft, draftKey, draftQuery } from '../api/drafts.ts';

/** The draft with a change, as the server will return it. */
export function withChange(draft: ImportDraft, change: ChangeDraft): ImportDraft {
  const settings = changedSettings(draft.settings, change);
  return { ...draft, settings, fixes: settings.fixes ?? [] };
}

export function useDraft(id: string | null) {
  const queries = useQueryClient();
  const query = useQuery(draftQuery(id));
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const pending = useRef(0);

  /**
   * Applies a change at once and saves it; resolves when it is saved. A function returns the change of the current draft, which
   * can be newer than the displayed one: a field saves its text when a click on a button moves the focus.
   */
  function change(requested: ChangeDraft | ((draft: ImportDraft) => ChangeDraft)): Promise<void> {
    if (id === null) return Promise.resolve();
    const key = draftKey(id);
    const current = queries.getQueryData<ImportDraft>(key);
    if (current === undefined) return Promise.resolve();
    const next = typeof requested === 'function' ? requested(current) : requested;
    pending.current += 1;
    void queries.cancelQueries({ queryKey: key });
    queries.setQueryData(key, withChange(current, next));
    const save = async () => {
      const current = queries.getQueryData<ImportDraft>(key);
      if (!current) return;
      try {
        const saved = await changeDraft(current, next);
        // If later changes are already shown, only the revision and the check are taken from the response.
        queries.setQueryData<ImportDraft>(key, (draft) =>
          draft && pending.current > 1
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
        pending.current -= 1;
      }
    };
    const saved = saving.current.then(save);
    saving.current = saved;
    return saved;
  }

  /** Resolves when all changes so far are saved. */
  const changesSaved = () => saving.current;

  return { ...query, draft: query.data, change, changesSaved };
}

export type ChangeOfDraft = ReturnType<typeof useDraft>['change'];
