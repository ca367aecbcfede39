/**
 * Maps an empty cell of the comparison. The user selects the source value for the target value, and the dialog drafts
 * the mapping in a crosswalk of the source system.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import { CROSSWALK_CONFIDENCE_DEFAULT } from '@rdm/contracts/constants';
import type { ComparedSystem } from '@rdm/contracts/crosswalks/comparison';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Loaded } from '../../../../components/empty-state/loaded.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Field } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { crosswalkQuery, reloadCrosswalk } from '../../api/crosswalks.ts';
import { draftMappings } from '../../api/mappings.ts';
import { CardinalityWarning } from '../mappings/CardinalityWarning.tsx';
import { ValuePicker } from '../suggestions/TargetPicker.tsx';

const FORM_ID = 'map-cell';

export interface MapCellDialogProps {
  system: ComparedSystem;
  targetValue: string;
  onClose: () => void;
}

export function MapCellDialog({ system, targetValue, onClose }: MapCellDialogProps) {
  const queries = useQueryClient();
  const [crosswalkId, setCrosswalkId] = useState(system.crosswalks[0]?.id ?? 0);
  const crosswalk = useQuery(crosswalkQuery(crosswalkId));
  const [sourceValue, setSourceValue] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const mayWrite = crosswalk.data !== undefined && hasLevel(crosswalk.data.level, 'WRITE');

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!mayWrite || sourceValue === undefined) return;
    setBusy(true);
    try {
      await draftMappings(crosswalkId, [
        { sourceValue, targetValue, confidence: CROSSWALK_CONFIDENCE_DEFAULT, origin: 'MANUAL' },
      ]);
      notify.success('Mapping drafted', {
        description: `${sourceValue} → ${targetValue}. The comparison shows only approved mappings.`,
        href: `/crosswalks/${crosswalkId}/mappings?tab=draft`,
      });
      void reloadCrosswalk(queries, crosswalkId);
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Map to ${targetValue}`}
      description={`Choose the value of ${system.name} that corresponds to this target value.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={FORM_ID}
            disabled={busy || !mayWrite || sourceValue === undefined}
            aria-busy={busy}
          >
            Save draft
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {system.crosswalks.length > 1 && (
          <Field label="Crosswalk" required>
            {(control) => (
              <Select
                {...control}
                className="w-full"
                value={String(crosswalkId)}
                onValueChange={(value) => setCrosswalkId(Number(value))}
                options={system.crosswalks.map(({ id, name }) => ({ value: String(id), label: name }))}
              />
            )}
          </Field>
        )}
        <Loaded result={crosswalk}>
          {(data) =>
            mayWrite ? (
              <>
                <Field
                  label={`Value of ${system.name}`}
                  required
                  hint={`The mapping is added to ${data.name} as a draft.`}
                >
                  {(control) => (
                    <ValuePicker
                      {...control}
                      end={{
                        dataSetId: system.dataSetId,
                        name: system.name,
                        attribute: data.sourceAttribute,
                        labelField: data.sourceLabelField,
                      }}
                      value={sourceValue}
                      shown={sourceValue === undefined ? undefined : <span className="font-mono">{sourceValue}</span>}
                      onValueChange={setSourceValue}
                    />
                  )}
                </Field>
                <CardinalityWarning crosswalk={data} sourceValue={sourceValue} targetValue={targetValue} />
              </>
            ) : (
              <Alert tone="info">Mapping needs WRITE on {system.name}.</Alert>
            )
          }
        </Loaded>
      </form>
    </Dialog>
  );
}
