/**
 * Edits the target and the confidence of a mapping, and offers to submit the draft. The approved version stays in use
 * until the draft is approved.
 */

import { CROSSWALK_CONFIDENCE_DEFAULT } from '@rdm/contracts/constants';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ConflictDialog } from '../../../../components/conflict/index.tsx';
import { FormDialog } from '../../../../components/form-dialog/index.tsx';
import { DraftButtons } from '../../../../components/review/draft-buttons.tsx';
import type { OnSaved } from '../../../../components/review/review-tab.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { messageOf } from '../../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { currentMapping, editMappings } from '../../api/mappings.ts';
import { TargetPicker } from '../suggestions/TargetPicker.tsx';
import { CardinalityWarning } from './CardinalityWarning.tsx';
import { type Edit, editOf, type MergedEdit, mergeMappingEdits } from './mapping-edits.ts';

const FORM_ID = 'edit-mapping';
const LABELS = { mapping: 'Mapped to' };

export interface EditMappingDialogProps {
  crosswalk: CrosswalkView;
  mapping: MappingView;
  onClose: () => void;
  onSaved: OnSaved<MappingView>;
}

export function EditMappingDialog({ crosswalk, mapping, onClose, onSaved }: EditMappingDialogProps) {
  const queries = useQueryClient();
  const [{ target, label }, setTarget] = useState({ target: mapping.targetValue, label: mapping.targetLabel });
  const [confidence, setConfidence] = useState(String(mapping.confidence));
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<{ theirs: MappingView; overlaps: MergedEdit['overlaps'] }>();
  const [busy, setBusy] = useState(false);
  const [shouldSubmit, setShouldSubmit] = useState(false);
  const isRejected = mapping.status === 'REJECTED';
  const parsedConfidence = Number(confidence);
  const isConfidenceInvalid = confidence.trim() === '' || !(parsedConfidence >= 0 && parsedConfidence <= 100);
  const isDefaultConfidence =
    target !== mapping.targetValue &&
    parsedConfidence === CROSSWALK_CONFIDENCE_DEFAULT &&
    mapping.confidence !== CROSSWALK_CONFIDENCE_DEFAULT;
  const isUnchanged = target === mapping.targetValue && parsedConfidence === mapping.confidence;
  const mine: Edit = { targetValue: target, confidence: parsedConfidence };

  /** Returns the stored draft; undefined if nothing was stored. */
  async function store(revision: number, edit: Edit): Promise<MappingView | undefined> {
    const { results } = await editMappings(crosswalk.id, [{ id: mapping.id, revision, ...edit }]);
    const [result] = results;
    if (result?.code === 'STALE') return mergeWithTheirs();
    if (result?.outcome !== 'done') {
      setProblem(result?.message ?? 'The mapping was not saved');
      return undefined;
    }
    notify.success('Mapping saved', { description: `${mapping.sourceValue} → ${edit.targetValue}` });
    await reloadCrosswalk(queries, crosswalk.id);
    return { ...mapping, ...edit, status: 'DRAFT', revision: result.revision ?? revision };
  }

  /**
   * Merges with the version that another user saved first. If both users changed the mapping, opens a dialog with both
   * versions.
   */
  async function mergeWithTheirs(): Promise<MappingView | undefined> {
    const theirs = await currentMapping(crosswalk.id, mapping.id);
    if (theirs === undefined) {
      setProblem('This mapping was deleted in the meantime.');
      return undefined;
    }
    const { edit, overlaps } = mergeMappingEdits(mapping, mine, theirs);
    if (overlaps.length === 0) return store(theirs.revision, edit);
    setConflict({ theirs, overlaps });
    return undefined;
  }

  async function attempt(save: () => Promise<MappingView | undefined>, andSubmit: boolean) {
    setShouldSubmit(andSubmit);
    setProblem(undefined);
    setBusy(true);
    try {
      const saved = await save();
      if (saved === undefined) return;
      onClose();
      onSaved(saved, andSubmit);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  function save(andSubmit: boolean) {
    if (isConfidenceInvalid) return;
    if (andSubmit && isUnchanged && isRejected) setProblem(REVIEW_REFUSALS.UNCHANGED);
    else void attempt(() => store(mapping.revision, mine), andSubmit);
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault();
    save(isRejected);
  }

  if (conflict !== undefined) {
    return (
      <ConflictDialog
        overlaps={conflict.overlaps}
        labels={LABELS}
        onCancel={() => setConflict(undefined)}
        onResolve={(ownFields) => {
          setConflict(undefined);
          const resolvedEdit = ownFields.has('mapping') ? mine : editOf(conflict.theirs);
          void attempt(() => store(conflict.theirs.revision, resolvedEdit), shouldSubmit);
        }}
      />
    );
  }
  return (
    <FormDialog
      dirty={!isUnchanged && !busy}
      onClose={onClose}
      title={`Map ${mapping.sourceValue}`}
      description={mapping.sourceLabel ?? undefined}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <DraftButtons form={FORM_ID} busy={busy} isRejected={isRejected} onSave={save} />
        </>
      )}
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={handleSubmit}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {isRejected && mapping.rejectionReason !== null && (
          <Alert tone="warning" title="This mapping was rejected">
            {mapping.rejectionReason}
          </Alert>
        )}
        {mapping.served !== null && (
          <Alert tone="info">
            <span className="font-mono">{mapping.served.targetValue}</span> is served until your draft is approved.
          </Alert>
        )}
        <Field label={`Target in ${crosswalk.targetName}`} required>
          {(control) => (
            <TargetPicker
              {...control}
              crosswalk={crosswalk}
              value={target}
              shown={
                <>
                  <span className="font-mono">{target}</span>
                  {label !== null && <span className="ml-2 text-muted">{label}</span>}
                </>
              }
              onValueChange={(value, valueLabel) => {
                setTarget({ target: value, label: valueLabel });
                setProblem(undefined);
                // A target that a user chooses has confidence 100 by default.
                setConfidence(
                  String(value === mapping.targetValue ? mapping.confidence : CROSSWALK_CONFIDENCE_DEFAULT),
                );
              }}
            />
          )}
        </Field>
        {target !== mapping.targetValue && (
          <CardinalityWarning
            crosswalk={crosswalk}
            id={mapping.id}
            sourceValue={mapping.sourceValue}
            targetValue={target}
          />
        )}
        <Field
          label="Confidence"
          hint={
            isDefaultConfidence
              ? `${CROSSWALK_CONFIDENCE_DEFAULT} because you chose this target; previously ${mapping.confidence}`
              : '0 to 100'
          }
          error={isConfidenceInvalid ? 'Confidence is a number from 0 to 100' : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              max={100}
              className="w-28"
              value={confidence}
              onChange={(event) => setConfidence(event.target.value)}
            />
          )}
        </Field>
      </form>
    </FormDialog>
  );
}
