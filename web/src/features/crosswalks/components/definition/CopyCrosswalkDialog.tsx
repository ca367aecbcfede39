/** Copies a crosswalk in the same or the reverse direction, after a preview of the copied mappings. */
import type { CrosswalkCopied, CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyDialog, RowsNotCopied } from '../../../../components/definitions/copy-dialog.tsx';
import { Loaded } from '../../../../components/empty-state/loaded.tsx';
import { Switch } from '../../../../components/ui/switch.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';
import { type CopyMode, copyCrosswalk, copyPreviewQuery } from '../../api/crosswalks.ts';
import { mappingsText } from '../mappings/review-words.ts';

interface CopyWords {
  action: string;
  title: (crosswalk: CrosswalkView) => string;
  description: (crosswalk: CrosswalkView) => string;
  suggestedName: (crosswalk: CrosswalkView) => string;
  verb: string;
}

export const COPY_WORDS: Record<CopyMode, CopyWords> = {
  duplicate: {
    action: 'Duplicate…',
    title: ({ name }) => `Duplicate ${name}`,
    description: () => 'The copy has the same definition and starts as a draft. This crosswalk does not change.',
    suggestedName: ({ name }) => `${name} (copy)`,
    verb: 'Duplicate',
  },
  reverse: {
    action: 'Reverse…',
    title: ({ name }) => `Reverse ${name}`,
    description: ({ sourceName, targetName }) =>
      `The new crosswalk maps ${targetName} to ${sourceName} and starts as a draft. This crosswalk does not change.`,
    suggestedName: ({ name }) => `${name} (reversed)`,
    verb: 'Reverse',
  },
};

export interface CopyCrosswalkDialogProps {
  crosswalk: CrosswalkView;
  mode: CopyMode;
  onClose: () => void;
}

export function CopyCrosswalkDialog({ crosswalk, mode, onClose }: CopyCrosswalkDialogProps) {
  const words = COPY_WORDS[mode];
  const [copiesMappings, setCopiesMappings] = useState(true);
  const preview = useQuery(copyPreviewQuery(crosswalk.id, mode));
  const countSuffix = copiesMappings && preview.data !== undefined ? ` with ${mappingsText(preview.data.copied)}` : '';

  return (
    <CopyDialog
      name="crosswalk"
      title={words.title(crosswalk)}
      description={words.description(crosswalk)}
      suggestedName={words.suggestedName(crosswalk)}
      emptyNameError="Mapping name is required"
      verb={words.verb}
      confirm={`${words.verb}${countSuffix}`}
      isReady={!copiesMappings || preview.data !== undefined}
      countText={mappingsText}
      copy={async (name) => {
        const { id, copied, left } = await copyCrosswalk(crosswalk.id, mode, { name, mappings: copiesMappings });
        return { copied, notCopied: left, page: `/crosswalks/${id}/mappings?tab=${copied > 0 ? 'draft' : 'unmapped'}` };
      }}
      onClose={onClose}
    >
      <Switch label="Copy the mappings as drafts" checked={copiesMappings} onCheckedChange={setCopiesMappings} />
      {copiesMappings && <Loaded result={preview}>{(data) => <CopyPreview preview={data} />}</Loaded>}
    </CopyDialog>
  );
}

function CopyPreview({ preview: { copied, ambiguous, left, leftBehind } }: { preview: CrosswalkCopied }) {
  return (
    <div role="status" className="flex flex-col gap-2">
      {left === 0 && (
        <p>{copied === 0 ? 'There are no mappings to copy.' : `${mappingsText(copied)} can be copied.`}</p>
      )}
      {ambiguous > 0 && (
        <p className="text-muted text-sm">
          {formatNumber(ambiguous)} source {ambiguous === 1 ? 'value has' : 'values have'} more than one target in the
          copy.
        </p>
      )}
      {left > 0 && (
        <RowsNotCopied
          title={`${mappingsText(left)} cannot be copied`}
          count={left}
          rows={leftBehind.map((row) => ({ ...row, pair: `${row.sourceValue} → ${row.targetValue}` }))}
        />
      )}
    </div>
  );
}
