/** Deletes a type, with the messages of specification §8. */
import type { ReferenceTypeView } from '@rdm/contracts/reference-types/reference-types';
import { WORDS } from '@rdm/contracts/refusal';
import { useQueryClient } from '@tanstack/react-query';
import { notify } from '../../../components/toast/index.ts';
import { ApiError } from '../../../lib/api/index.ts';
import { deleteType, reloadTypes } from '../api/types.ts';

export function useDeleteType(): (type: ReferenceTypeView) => Promise<void> {
  const queries = useQueryClient();
  return async (type) => {
    try {
      await deleteType(type.id);
      notify.success('Reference type deleted successfully');
      await reloadTypes(queries);
    } catch (error) {
      const { title, text } = deleteErrorText(error);
      notify.error(text, { title });
    }
  };
}

export function deleteErrorText(error: unknown): { title: string; text: string } {
  if (error instanceof ApiError && error.status === 400) {
    return { title: 'Cannot Delete Reference Type', text: WORDS.typeInUse };
  }
  const text =
    error instanceof ApiError && error.statusText !== ''
      ? `Failed to delete reference type: ${error.statusText}`
      : 'Failed to delete reference type. It may be in use by reference data sets.';
  return { title: 'Error', text };
}
