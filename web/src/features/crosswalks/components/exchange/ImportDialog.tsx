/**
 * Imports mappings from a file or a paste. Shows a preview first; then a job imports the mappings as drafts or submits
 * them.
 */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import {
  type ImportedMapping,
  type ImportMappings,
  MAPPING_FORMATS,
  type MappingFormat,
  type MappingImportPreview,
} from '@rdm/contracts/crosswalks/mapping-exchange';
import type { ImportStarted } from '@rdm/contracts/jobs/row-imports';
import { useState } from 'react';
import { ImportRowsDialog } from '../../../../components/import-rows/index.tsx';
import { cellClasses, RowsPreview, valueClasses } from '../../../../components/import-rows/preview.tsx';
import { Field } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { importMappings, previewImport } from '../../api/exchange.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { Confidence } from '../suggestions/Confidence.tsx';
import { FORMAT_LABELS } from './format-labels.ts';

export interface ImportDialogProps {
  crosswalk: CrosswalkView;
  /** The id of a file that is uploaded already. */
  fileId?: string | undefined;
  onStarted: (started: ImportStarted) => void;
  onClose: () => void;
}

type ExistingMode = ImportMappings['existing'];

const FORMATS: { value: MappingFormat | 'detect'; label: string }[] = [
  { value: 'detect', label: 'Detect automatically' },
  ...MAPPING_FORMATS.map((value) => ({ value, label: FORMAT_LABELS[value] })),
];
const EXISTING_MODES: { value: ExistingMode; label: string }[] = [
  { value: 'change', label: 'Change its target' },
  { value: 'add', label: 'Add another target' },
];

export function ImportDialog({ crosswalk, fileId, onStarted, onClose }: ImportDialogProps) {
  const [format, setFormat] = useState<MappingFormat | 'detect'>('detect');
  const [existing, setExisting] = useState<ExistingMode>('change');
  const options: Pick<ImportMappings, 'existing' | 'format'> = { existing };
  if (format !== 'detect') options.format = format;
  return (
    <ImportRowsDialog<typeof options, MappingImportPreview>
      title="Import mappings"
      description={`From ${crosswalk.sourceName} to ${crosswalk.targetName}: CSV, JSON, a FHIR ConceptMap or SSSOM. A preview shows the result before anything is written.`}
      label="Mappings"
      hint="Paste mappings, or drop a file here. CSV needs the columns sourceValue and targetValue; the column confidence is optional."
      accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json,application/fhir+json"
      into={{ crosswalkId: crosswalk.id }}
      fileId={fileId}
      countText={mappingsText}
      formatText={(preview) => FORMAT_LABELS[preview.format]}
      settings={options}
      options={
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Format">
            {(control) => (
              <Select {...control} className="w-full" value={format} onValueChange={setFormat} options={FORMATS} />
            )}
          </Field>
          <Field
            label="If a value is already mapped"
            hint="Applies to a value that has one mapping and occurs once in the file."
          >
            {(control) => (
              <Select
                {...control}
                className="w-full"
                value={existing}
                onValueChange={setExisting}
                options={EXISTING_MODES}
              />
            )}
          </Field>
        </div>
      }
      loadPreview={(importOptions) => previewImport(crosswalk.id, importOptions)}
      send={(importOptions) => importMappings(crosswalk.id, importOptions)}
      onStarted={onStarted}
      onClose={onClose}
    >
      {(preview) => (
        <RowsPreview
          preview={preview}
          heads={['Source', 'Target', 'Confidence']}
          cellsOf={(row) => <MappingCells row={row} />}
        />
      )}
    </ImportRowsDialog>
  );
}

function MappingCells({ row: { sourceValue, targetValue, confidence, before } }: { row: ImportedMapping }) {
  const hasNewTarget = before !== null && before.targetValue !== targetValue;
  const hasNewConfidence = before !== null && before.confidence !== confidence;
  return (
    <>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>{sourceValue}</td>
      <td className={`${cellClasses} ${valueClasses} min-w-20`}>
        {hasNewTarget && (
          <del className="block text-muted">
            <span className="sr-only">Until now </span>
            {before.targetValue}
          </del>
        )}
        {targetValue}
      </td>
      <td className={cellClasses}>
        {hasNewConfidence && <span className="block text-muted text-xs">was {before.confidence}%</span>}
        <Confidence value={confidence} />
      </td>
    </>
  );
}
