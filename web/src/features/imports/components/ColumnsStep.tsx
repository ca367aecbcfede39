/** The mapping of columns to fields, with the detected format of the file and its first rows. */
import type { StagedFileView } from '@rdm/contracts/imports/imports';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { ArrowRight, KeyRound } from 'lucide-react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import type { ParseSettings } from '../api/imports.ts';
import { type ColumnMapping, isComplete, mappingProblems, samplesOf, withColumn } from './mapping.ts';
import { NextButton, StepFrame } from './StepFrame.tsx';

const IGNORED = 'ignored';
const SAMPLE_ROWS = 8;
const DELIMITERS = [
  { value: ',', label: 'Comma ,' },
  { value: ';', label: 'Semicolon ;' },
  { value: '\t', label: 'Tab' },
  { value: '|', label: 'Vertical bar |' },
];
const ENCODINGS = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'utf-16le', label: 'UTF-16 LE' },
  { value: 'utf-16be', label: 'UTF-16 BE' },
  { value: 'windows-1252', label: 'Windows-1252' },
];

export interface ColumnsStepProps {
  staged: StagedFileView;
  fields: readonly SchemaFieldView[];
  mapping: ColumnMapping;
  onMapping: (mapping: ColumnMapping) => void;
  /** Parses the file again with other settings; absent if the page no longer has the file. */
  onReading: ((reading: ParseSettings) => void) | undefined;
  rereading: boolean;
  problem: string | undefined;
  onBack: () => void;
  onNext: () => void;
}

export function ColumnsStep(props: ColumnsStepProps) {
  const { staged, fields, mapping, onMapping, problem } = props;
  const problems = mappingProblems(mapping, fields);
  const mapped = Object.keys(mapping).length;
  const byId = new Map(fields.map((field) => [field.fieldId, field]));
  return (
    <StepFrame
      title="Which column fills which field?"
      description={`${formatNumber(mapped)} of ${formatNumber(staged.columns.length)} columns are used. Columns named like a field are chosen already.`}
      onBack={props.onBack}
      next={<NextButton disabled={!isComplete(problems) || props.rereading} onClick={props.onNext} />}
    >
      {problem !== undefined && <Alert tone="error">{problem}</Alert>}
      <Detected {...props} />
      {problems.missingKeys.length > 0 && (
        <Alert tone="warning">
          {problems.missingKeys.map((name) => (
            <p key={name}>
              No column fills the key field <span className="font-mono">{name}</span>: choose one.
            </p>
          ))}
        </Alert>
      )}
      {problems.repeated.map(({ field, columns }) => (
        <Alert key={field} tone="warning">
          {columns.map((column) => `“${column}”`).join(' and ')} both fill <span className="font-mono">{field}</span>:
          choose one of them.
        </Alert>
      ))}
      <ul className="divide-y divide-hairline rounded-md border border-hairline">
        {staged.columns.map((column, index) => {
          const samples = samplesOf(staged.sample, index);
          const field = byId.get(mapping[column] ?? 0);
          return (
            <li
              key={column}
              className="grid items-center gap-x-3 gap-y-1 px-3 py-2 sm:grid-cols-[minmax(0,1fr)_1rem_14rem]"
            >
              <div className="min-w-0">
                <p className="truncate font-medium">{column}</p>
                <p className="truncate whitespace-pre font-mono text-muted text-xs">
                  {samples.length === 0 ? 'no values' : samples.join('   ')}
                </p>
              </div>
              <ArrowRight aria-hidden="true" className="hidden size-4 text-muted sm:block" />
              <div className="flex items-center gap-2">
                <Select
                  aria-label={`Field for the column ${column}`}
                  className="min-w-0 flex-1"
                  value={field === undefined ? IGNORED : String(field.fieldId)}
                  onValueChange={(chosen) =>
                    onMapping(withColumn(mapping, column, chosen === IGNORED ? undefined : Number(chosen)))
                  }
                  options={[
                    { value: IGNORED, label: 'Leave out' },
                    ...fields.map(({ fieldId, name, dataType, isPrimaryKey }) => ({
                      value: String(fieldId),
                      label: `${name} (${dataType}${isPrimaryKey ? ', key' : ''})`,
                    })),
                  ]}
                />
                {field?.isPrimaryKey && <KeyRound role="img" aria-label="Key" className="size-4 text-accent" />}
              </div>
            </li>
          );
        })}
      </ul>
      <Sample staged={staged} mapping={mapping} fieldNames={new Map(fields.map((each) => [each.fieldId, each.name]))} />
    </StepFrame>
  );
}

/** The format of the file: detected, and editable while the page has the file. */
function Detected({ staged, onReading, rereading }: ColumnsStepProps) {
  const { delimiter, encoding, hasHeader } = staged;
  const fixed = onReading === undefined || rereading;
  const reread = (change: ParseSettings) => onReading?.({ delimiter, encoding, hasHeader, ...change });
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2 rounded-md border border-hairline bg-canvas p-3">
      <div className="min-w-0 basis-full sm:basis-auto sm:pr-4">
        <p className="truncate font-medium" title={staged.fileName}>
          {staged.fileName}
        </p>
        <p className="text-muted text-xs">{bytes(staged.size)}</p>
      </div>
      <Field label="Delimiter">
        {(control) => (
          <Select
            {...control}
            className="w-36"
            disabled={fixed}
            value={delimiter}
            onValueChange={(value) => reread({ delimiter: value })}
            options={DELIMITERS}
          />
        )}
      </Field>
      <Field label="Encoding">
        {(control) => (
          <Select
            {...control}
            className="w-36"
            disabled={fixed}
            value={encoding}
            onValueChange={(value) => reread({ encoding: value })}
            options={ENCODINGS}
          />
        )}
      </Field>
      <div className="flex h-8 items-center">
        <Switch
          label="First line names the columns"
          disabled={fixed}
          checked={hasHeader}
          onCheckedChange={(checked) => reread({ hasHeader: checked })}
        />
      </div>
      <p role="status" className="basis-full text-muted text-xs">
        {rereading
          ? 'Reading the file again…'
          : onReading === undefined
            ? 'Choose the file again to have it read in another way.'
            : 'Detected from the beginning of the file; correct it where it is wrong.'}
      </p>
    </div>
  );
}

export function bytes(size: number): string {
  if (size < 1_024) return `${size} bytes`;
  if (size < 1_024 * 1_024) return `${(size / 1_024).toFixed(1)} KiB`;
  return `${(size / 1_024 / 1_024).toFixed(1)} MiB`;
}

interface SampleProps {
  staged: StagedFileView;
  mapping: ColumnMapping;
  fieldNames: ReadonlyMap<number, string>;
}

function Sample({ staged, mapping, fieldNames }: SampleProps) {
  return (
    <div>
      <h3 className="mb-1 font-medium">First rows</h3>
      <section
        aria-label="First rows"
        className="overflow-x-auto rounded-md border border-hairline"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <table className="min-w-full border-separate border-spacing-0 text-sm">
          <thead>
            <tr>
              {staged.columns.map((column) => {
                const field = fieldNames.get(mapping[column] ?? 0);
                return (
                  <th
                    key={column}
                    scope="col"
                    className="whitespace-nowrap border-hairline border-b bg-canvas px-2 py-1 text-left font-medium text-xs"
                  >
                    {column}
                    <span className={`block font-normal ${field === undefined ? 'text-muted' : 'text-accent'}`}>
                      {field === undefined ? 'left out' : `→ ${field}`}
                    </span>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {staged.sample.slice(0, SAMPLE_ROWS).map((row, line) => (
              <tr key={line}>
                {staged.columns.map((column, index) => (
                  <td
                    key={column}
                    className={`max-w-64 truncate whitespace-pre border-hairline border-b px-2 py-1 font-mono ${mapping[column] === undefined ? 'text-muted' : ''}`}
                  >
                    {row[index] ?? ''}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
