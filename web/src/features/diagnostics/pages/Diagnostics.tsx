/** Diagnostics: the health of each part, facts about the system and the browser, recent errors, and a report. */
import { type DiagnosticsView, PARTS } from '@rdm/contracts/admin/diagnostics';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { format } from 'date-fns';
import { Braces, ClipboardCopy, FileText, RefreshCw } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../../components/ui/dropdown-menu.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { diagnosticsKey, diagnosticsQuery } from '../api/diagnostics.ts';
import { type BrowserFacts, useBrowser } from '../components/browser.ts';
import { copyOrExplain } from '../components/copy.ts';
import { Errors } from '../components/Errors.tsx';
import {
  browserSection,
  healthWord,
  omittedWords,
  PART_WORDS,
  reportJson,
  reportText,
  type Section,
  sectionsOf,
} from '../components/facts.ts';

const TABS = ['health', 'errors'] as const;

export default function Diagnostics() {
  const { isAdmin } = useCurrentUser();
  const queries = useQueryClient();
  const { data, error, dataUpdatedAt, refetch } = useQuery(diagnosticsQuery);
  const isChecking = useIsFetching({ queryKey: diagnosticsKey }) > 0;
  const browser = useBrowser();
  const [tab, setTab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('health'));
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Diagnostics"
        description={
          isAdmin
            ? 'Whether each part works, details of the services, and the last errors.'
            : 'Whether each part works, your session and browser, and your own errors.'
        }
        actions={
          <>
            <Button aria-busy={isChecking} onClick={() => void queries.invalidateQueries({ queryKey: diagnosticsKey })}>
              <RefreshCw />
              Refresh
            </Button>
            {data !== undefined && <CopyReport view={data} browser={browser} at={dataUpdatedAt} />}
          </>
        }
      />
      {error !== null && data !== undefined && (
        <Alert
          tone="error"
          title="The last check failed: the page shows the result of the previous check"
          className="mb-4"
        >
          {messageOf(error)}
        </Alert>
      )}
      {data?.problems?.map((problem) => (
        <Alert key={problem} tone="error" title={problem} className="mb-4" />
      ))}
      <Tabs
        label="Diagnostics"
        className="flex-1"
        value={tab}
        onValueChange={(value) => void setTab(value)}
        tabs={[
          { value: 'health', label: 'Health' },
          { value: 'errors', label: 'Errors' },
        ]}
      >
        {tab === 'errors' ? (
          <>
            {data?.omittedErrors ? <p className="mb-2 text-muted">{omittedWords(data.omittedErrors)}</p> : null}
            <Errors />
          </>
        ) : data !== undefined ? (
          <>
            <Parts view={data} at={dataUpdatedAt} />
            <Sections sections={sectionsOf(data, browser)} />
          </>
        ) : error !== null ? (
          <>
            <ErrorState title="The parts could not be checked" error={error} onRetry={() => void refetch()} />
            <Sections sections={[browserSection(browser)]} />
          </>
        ) : (
          <div role="status" aria-label="Loading..." className="flex flex-col gap-4">
            <Skeleton className="h-40" />
            <Skeleton className="h-64" />
          </div>
        )}
      </Tabs>
    </div>
  );
}

interface CheckResult {
  view: DiagnosticsView;
  browser: BrowserFacts;
  /** The time of the check in ms since 1970. */
  at: number;
}

function CopyReport({ view, browser, at }: CheckResult) {
  return (
    <Menu
      trigger={
        <Button variant="primary">
          <ClipboardCopy />
          Copy report
        </Button>
      }
    >
      <MenuItem onSelect={() => void copyOrExplain(reportText(view, browser, at), 'Report')}>
        <FileText />
        As text
      </MenuItem>
      <MenuItem onSelect={() => void copyOrExplain(reportJson(view, browser, at), 'Report')}>
        <Braces />
        As JSON
      </MenuItem>
    </Menu>
  );
}

function Parts({ view, at }: Pick<CheckResult, 'view' | 'at'>) {
  return (
    <section aria-labelledby="parts" className="mb-4">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 id="parts" className="font-semibold text-base">
          Parts
        </h2>
        <p role="status" className="text-muted">
          {view.healthy ? 'All parts are healthy' : 'Not all parts are healthy'}, checked at {format(at, 'HH:mm:ss')}
        </p>
      </div>
      <ul className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
        {PARTS.map((part) => (
          <li key={part} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
            <span className="w-32 font-medium">{PART_WORDS[part].name}</span>
            <span className="w-28">
              <Health isHealthy={view.parts[part]} />
            </span>
            <span className="text-muted">{PART_WORDS[part].purpose}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Health({ isHealthy }: { isHealthy: boolean | null }) {
  const status = isHealthy === null ? 'DRAFT' : isHealthy ? 'APPROVED' : 'REJECTED';
  return <StatusBadge status={status}>{healthWord(isHealthy)}</StatusBadge>;
}

function Sections({ sections }: { sections: readonly Section[] }) {
  return (
    <div className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
      {sections.map(({ title, facts }) => (
        <section key={title} aria-label={title} className="rounded-md border border-hairline bg-surface p-3">
          <h2 className="mb-2 font-semibold text-base">{title}</h2>
          <dl className="grid grid-cols-[8.5rem_1fr] gap-x-3 gap-y-1">
            {facts.map(([label, value]) => (
              <div key={label} className="contents">
                <dt className="text-muted">{label}</dt>
                <dd className="wrap-anywhere tabular-nums">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
