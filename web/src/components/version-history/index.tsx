/** The version history of a crosswalk or relationship: every version with its user, comment and changes. */
import type { VersionView } from '@rdm/contracts/review/approval';
import { HistoryDrawer, type HistoryDrawerProps } from './drawer.tsx';

export { HistoryDrawer } from './drawer.tsx';
export { versionTitle } from './title.ts';

export interface VersionHistoryProps<Version extends VersionView, Key extends readonly unknown[]>
  extends Pick<HistoryDrawerProps<Version, Key>, 'title' | 'status' | 'query' | 'onClose'> {
  /** Returns the values of a version by the labels of its fields. */
  fieldsOf: (version: Version) => Readonly<Record<string, unknown>>;
}

export function VersionHistory<Version extends VersionView, Key extends readonly unknown[]>({
  fieldsOf,
  ...props
}: VersionHistoryProps<Version, Key>) {
  return (
    <HistoryDrawer
      {...props}
      compare={(before, after) => {
        const old = fieldsOf(before);
        return Object.entries(fieldsOf(after)).map(([label, value]) => ({ label, before: old[label], after: value }));
      }}
    />
  );
}
