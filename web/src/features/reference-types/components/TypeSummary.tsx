/** The numbers of types and fields, shown above the list. */
import type { ReferenceTypeView } from '@rdm/contracts/reference-types/reference-types';
import { useEffect } from 'react';
import { Figures } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';

/** The error text of specification §8. */
const FAILED = 'Failed to load data. Please try refreshing the page.';

export interface TypeSummaryProps {
  /** Undefined while the types are loading. */
  types: readonly ReferenceTypeView[] | undefined;
  /** Whether the numbers could not be loaded, although the list was loaded. */
  isFailed: boolean;
}

export function TypeSummary({ types, isFailed }: TypeSummaryProps) {
  useEffect(() => {
    if (isFailed) notify.error(FAILED, { shownInPage: true });
  }, [isFailed]);
  if (isFailed)
    return (
      <Alert tone="error" className="mb-4">
        {FAILED}
      </Alert>
    );
  return (
    <Figures
      figures={[
        { label: 'Total Types', value: types?.length ?? '–' },
        {
          label: 'Total Schemas',
          value: types?.reduce((sum, type) => sum + type.schemaCount, 0) ?? '–',
          hint: 'The number of fields of all types',
        },
      ]}
    />
  );
}
