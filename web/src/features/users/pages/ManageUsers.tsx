/** The page Manage Users: users, groups and the mail outbox. */
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { PageHeader } from '../../../components/page/index.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { GroupsTab } from '../components/GroupsTab.tsx';
import { MailTab } from '../components/MailTab.tsx';
import { UsersTab } from '../components/UsersTab.tsx';

const TABS = [
  { value: 'users', label: 'Users' },
  { value: 'groups', label: 'Groups' },
  { value: 'mail', label: 'Mail outbox' },
] as const;
type Tab = (typeof TABS)[number]['value'];

const tabs = parseAsStringLiteral(TABS.map(({ value }) => value)).withDefault('users' satisfies Tab);

export default function ManageUsers() {
  const [tab, setTab] = useQueryState('tab', tabs);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Manage Users"
        description="Users with their roles and groups. User accounts are deactivated or erased, not deleted."
      />
      <Tabs
        label="Users, groups and mail"
        className="flex-1"
        value={tab}
        onValueChange={(chosen) => void setTab(chosen === 'users' ? null : chosen)}
        tabs={TABS}
      >
        {tab === 'users' && <UsersTab />}
        {tab === 'groups' && <GroupsTab />}
        {tab === 'mail' && <MailTab />}
      </Tabs>
    </div>
  );
}
