/** The options of the import, and the description of the job. */
import type { ImportMode } from '@rdm/contracts/jobs/jobs';
import { WORDS } from '@rdm/contracts/refusal';
import { Upload } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { StepFrame } from './StepFrame.tsx';

export interface ImportOptions {
  mode: ImportMode;
  allOrNothing: boolean;
  description: string;
}

const MODES: readonly { value: ImportMode; label: string; text: string }[] = [
  { value: 'insert', label: 'Insert', text: 'Adds new rows. A row whose key exists already fails.' },
  { value: 'update', label: 'Update', text: 'Changes rows that exist. A row whose key is unknown fails.' },
  { value: 'upsert', label: 'Upsert', text: 'Adds new rows and changes those that exist.' },
];

const FORM = 'import-options';

export interface OptionsStepProps {
  options: ImportOptions;
  onOptions: (options: ImportOptions) => void;
  dataSetName: string;
  fileName: string;
  starting: boolean;
  problem: string | undefined;
  onBack: () => void;
  onStart: () => void;
}

export function OptionsStep({
  options,
  onOptions,
  dataSetName,
  fileName,
  starting,
  problem,
  onBack,
  onStart,
}: OptionsStepProps) {
  const [checked, setChecked] = useState(false);
  const described = options.description.trim() !== '';

  function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (described) onStart();
  }

  return (
    <StepFrame
      title="Import options"
      description={
        <>
          {fileName} into {dataSetName}. Fields that the file leaves out stay as they are.
        </>
      }
      onBack={onBack}
      next={
        <Button variant="primary" type="submit" form={FORM} disabled={starting} aria-busy={starting}>
          <Upload />
          {starting ? 'Starting…' : 'Start import'}
        </Button>
      }
    >
      <form id={FORM} noValidate className="flex flex-col gap-5" onSubmit={submit}>
        {problem !== undefined && (
          <Alert tone="error" title="The import was not started">
            {problem}
          </Alert>
        )}
        <Choices legend="Mode">
          {MODES.map(({ value, label, text }) => (
            <Choice
              key={value}
              name="mode"
              label={label}
              text={text}
              checked={options.mode === value}
              onChoose={() => onOptions({ ...options, mode: value })}
            />
          ))}
        </Choices>
        <Choices legend="Rows that fail">
          <Choice
            name="all-or-nothing"
            label="Import only valid rows"
            text="Rows that fail are left out and listed; the others are imported."
            checked={!options.allOrNothing}
            onChoose={() => onOptions({ ...options, allOrNothing: false })}
          />
          <Choice
            name="all-or-nothing"
            label="All or nothing"
            text="One failed row stops the whole import. Other users cannot change rows meanwhile."
            checked={options.allOrNothing}
            onChoose={() => onOptions({ ...options, allOrNothing: true })}
          />
        </Choices>
        <Field
          label="Job description"
          required
          hint="What this import is about, for the monitor and the audit log."
          error={checked && !described ? WORDS.jobDescriptionRequired : undefined}
          className="max-w-xl"
        >
          {(control) => (
            <Input
              {...control}
              required
              maxLength={1_000}
              value={options.description}
              onChange={(event) => onOptions({ ...options, description: event.target.value })}
            />
          )}
        </Field>
      </form>
    </StepFrame>
  );
}

function Choices({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="grid gap-2 md:grid-cols-3">{children}</div>
    </fieldset>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  text: string;
  checked: boolean;
  onChoose: () => void;
}

function Choice({ name, label, text, checked, onChoose }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2 rounded-md border border-hairline p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft">
      <input type="radio" name={name} className="mt-1 shrink-0 accent-accent" checked={checked} onChange={onChoose} />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-muted text-xs">{text}</span>
      </span>
    </label>
  );
}
