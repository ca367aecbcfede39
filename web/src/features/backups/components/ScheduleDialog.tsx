/** Sets when backups start automatically, and how many backups are kept. */

import type { BackupSchedule } from '@rdm/contracts/admin/backup-schedule';
import type { BackupScheduleView } from '@rdm/contracts/admin/backups';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { reloadBackups, saveSchedule } from '../api/backups.ts';

const INTERVAL_OPTIONS = [
  { value: 'DAY', label: 'Every day' },
  { value: 'WEEK', label: 'Every week' },
] as const;

/** The weekdays as options; the value of Monday is 1. */
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((label, index) => ({
  value: String(index + 1),
  label,
}));

const RETENTION = [
  { key: 'daily', label: 'Days' },
  { key: 'weekly', label: 'Weeks' },
  { key: 'monthly', label: 'Months' },
] as const;

const TIME_ZONE_LIST_ID = 'time-zones';

export function ScheduleDialog({ schedule, onClose }: { schedule: BackupScheduleView; onClose: () => void }) {
  const queries = useQueryClient();
  const { nextAt: _, isSet, ...stored } = schedule;
  const [draft, setDraft] = useState<BackupSchedule>(() => ({
    ...stored,
    // Until a schedule is saved, the dialog proposes a schedule in the time zone of the browser.
    ...(isSet ? {} : { enabled: true, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  }));
  const change = (part: Partial<BackupSchedule>) => setDraft((before) => ({ ...before, ...part }));

  return (
    <SubmitDialog
      title="Schedule of backups"
      description="The time is a local time of the chosen time zone. If the clock skips it in spring, the backup starts at the next valid time."
      submit="Save"
      onClose={onClose}
      onSubmit={async () => {
        await saveSchedule(draft);
        notify.success('Schedule saved');
        await reloadBackups(queries);
      }}
    >
      <Switch
        label="Make backups by this schedule"
        checked={draft.enabled}
        onCheckedChange={(enabled) => change({ enabled })}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="How often">
          {(control) => (
            <Select
              {...control}
              value={draft.every}
              onValueChange={(every) => change({ every })}
              options={INTERVAL_OPTIONS}
            />
          )}
        </Field>
        {draft.every === 'WEEK' && (
          <Field label="Day">
            {(control) => (
              <Select
                {...control}
                value={String(draft.weekday)}
                onValueChange={(weekday) => change({ weekday: Number(weekday) })}
                options={WEEKDAYS}
              />
            )}
          </Field>
        )}
        <Field label="Time" required>
          {(control) => (
            <Input {...control} type="time" value={draft.at} onChange={(event) => change({ at: event.target.value })} />
          )}
        </Field>
        <Field label="Time zone" required>
          {(control) => (
            <>
              <Input
                {...control}
                list={TIME_ZONE_LIST_ID}
                value={draft.zone}
                onChange={(event) => change({ zone: event.target.value })}
              />
              <datalist id={TIME_ZONE_LIST_ID}>
                {Intl.supportedValuesOf('timeZone').map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium text-sm">Keep one scheduled backup for each of the last</legend>
        <div className="grid grid-cols-3 gap-4">
          {RETENTION.map(({ key, label }) => (
            <Field key={key} label={label}>
              {(control) => (
                <Input
                  {...control}
                  type="number"
                  min={key === 'daily' ? 1 : 0}
                  value={draft.keep[key]}
                  onChange={(event) => change({ keep: { ...draft.keep, [key]: event.target.valueAsNumber } })}
                />
              )}
            </Field>
          ))}
        </div>
        <p className="text-muted text-xs">
          The newest intact backup, backups marked to keep, and backups made by hand are never deleted automatically.
        </p>
      </fieldset>
    </SubmitDialog>
  );
}
