/** Translates a value with the crosswalk. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowRight, Languages } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Badge } from '../../../../components/ui/badge.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Popover } from '../../../../components/ui/popover.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { translate } from '../../api/mappings.ts';
import { Confidence } from '../suggestions/Confidence.tsx';

export function TranslateBox({ crosswalk }: { crosswalk: CrosswalkView }) {
  const queries = useQueryClient();
  const [value, setValue] = useState('');
  const [translation, setTranslation] = useState<TranslationView>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (value === '') return;
    setBusy(true);
    setProblem(undefined);
    try {
      const newTranslation = await translate(crosswalk.id, value);
      setTranslation(newTranslation);
      if (newTranslation.results.length === 0) void reloadCrosswalk(queries, crosswalk.id);
    } catch (error) {
      setTranslation(undefined);
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Popover
      label="Translate a value"
      align="end"
      className="w-96"
      trigger={
        <Button>
          <Languages />
          Translate
        </Button>
      }
    >
      <form className="flex items-end gap-2" onSubmit={(event) => void submit(event)}>
        <Field label={`A value of ${crosswalk.sourceName}`} className="min-w-0 flex-1">
          {(control) => (
            <Input
              {...control}
              className="font-mono"
              value={value}
              onChange={(event) => {
                setValue(event.target.value);
                setTranslation(undefined);
              }}
            />
          )}
        </Field>
        <Button variant="primary" type="submit" disabled={busy || value === ''} aria-busy={busy}>
          Translate
        </Button>
      </form>
      <div role="status" className="mt-3 min-h-5">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {translation?.results.map((result) => (
          <p key={result.mappingId} className="flex items-center gap-2 py-0.5">
            <span className="font-mono">{translation.value}</span>
            <ArrowRight aria-label="is" className="size-3.5 text-muted" />
            <span className="font-mono font-semibold">{result.targetValue}</span>
            <Confidence value={result.confidence} className="ml-auto text-muted text-xs" />
          </p>
        ))}
        {translation?.fallback !== undefined && (
          <p className="flex items-center gap-2 py-0.5">
            <span className="font-mono">{translation.value}</span>
            <ArrowRight aria-label="yields" className="size-3.5 text-muted" />
            <span className="font-mono">{translation.fallback.targetValue}</span>
            <Badge tone="outline" className="ml-auto">
              Fallback
            </Badge>
          </p>
        )}
        {translation?.results.length === 0 && (
          <p className="text-muted">
            {crosswalk.isServed
              ? 'No approved mapping exists for this value. It was recorded as a missing mapping.'
              : 'Nothing is translated until the crosswalk itself is approved.'}
          </p>
        )}
      </div>
    </Popover>
  );
}
