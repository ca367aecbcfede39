/** The life of a crosswalk or relationship itself: every version, who made it and why, and what it changed. */
import type { VersionView } from '@rdm/contracts/review/approval';
import { HistoryDrawer, type HistoryDrawerProps } from './drawer.tsx';

export { HistoryDrawer } from './drawer.tsx';
export { versionTitle } from './title.ts';

export interface VersionHistoryProps<Version extends VersionView, Key extends readonly unknown[]>
  extends Pick<HistoryDrawerProps<Version, Key>, 'title' | 'status' | 'query' | 'onClose'> {
  /** What a version says, by the labels that people know it by. */
  fieldsOf: (version: Version) => Readonly<Record<string, unknown>>;
}

export function VersionHistory<Version extends VersionView, Key extends readonly unknown[]>({
  fieldsOf,
  ...shown
}: VersionHistoryProps<Version, Key>) {
  return (
    <HistoryDrawer
      {...shown}
      compare={(before, after) => {
        const old = fieldsOf(before);
        return Object.entries(fieldsOf(after)).map(([label, value]) => ({ label, before: old[label], after: value }));
      }}
    />
  );
}
