/** Maps a missing value by hand: the user selects the target value in the target data set of the crosswalk. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Loaded } from '../../../../components/empty-state/loaded.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Field } from '../../../../components/ui/input.tsx';
import { crosswalkQuery } from '../../api/crosswalks.ts';
import type { MissingMapping } from '../../api/missing.ts';
import { CardinalityWarning } from '../mappings/CardinalityWarning.tsx';
import { TargetPicker } from '../suggestions/TargetPicker.tsx';

const FORM_ID = 'map-missing';

export interface MapMissingDialogProps {
  missing: MissingMapping;
  onMap: (targetValue: string) => void;
  onClose: () => void;
}

export function MapMissingDialog({ missing, onMap, onClose }: MapMissingDialogProps) {
  const crosswalk = useQuery(crosswalkQuery(missing.crosswalkId));
  const [target, setTarget] = useState(missing.suggestion?.targetValue);

  function save(event: FormEvent) {
    event.preventDefault();
    if (target !== undefined) onMap(target);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Map ${missing.sourceValue}`}
      description={`This adds a draft mapping to ${missing.crosswalkName}. Translations use it after its approval.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM_ID} disabled={target === undefined}>
            Save draft
          </Button>
        </>
      }
    >
      <Loaded result={crosswalk}>
        {(data) => (
          <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={save}>
            <Field label={`Target in ${data.targetName}`} required>
              {(control) => (
                <TargetPicker
                  {...control}
                  crosswalk={data}
                  value={target}
                  shown={target === undefined ? undefined : <span className="font-mono">{target}</span>}
                  onValueChange={setTarget}
                />
              )}
            </Field>
            <CardinalityWarning crosswalk={data} sourceValue={missing.sourceValue} targetValue={target} />
          </form>
        )}
      </Loaded>
    </Dialog>
  );
}
