/**
 * The mail outbox: the mails with their status. Administrators can copy the link of a mail that was not sent, for
 * example because there is no mail server.
 */

import type { MailView } from '@rdm/contracts/identity/identity';
import { MAIL_FIELDS } from '@rdm/contracts/identity/list-fields';
import { useQuery } from '@tanstack/react-query';
import { Copy, Eye, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { copyText } from '../../../components/copy-text/index.ts';
import { columnsOf, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { mailQuery } from '../api/mail.ts';
import { linkIn } from './mail-link.ts';

const STATUS_LABELS: Record<MailView['status'], string> = {
  WAITING: 'Waiting',
  KEPT: 'Not sent',
  SENT: 'Sent',
  FAILED: 'Failed',
};

const { name, text, time } = columnsOf<MailView>(MAIL_FIELDS);

const COLUMNS = [
  name('to', { minWidth: 180 }),
  text('subject', { minWidth: 220 }),
  text('status', {
    cell: ({ status }) => <Badge tone={status === 'FAILED' ? 'accent' : 'outline'}>{STATUS_LABELS[status]}</Badge>,
    value: ({ status }) => STATUS_LABELS[status],
    width: 100,
  }),
  time('createdAt', { width: 150 }),
];

const FILTERS = filterFields(MAIL_FIELDS);

const mailId = ({ id }: MailView) => id;

const copyLink = (link: string) =>
  copyText(link, 'Link copied', (error) => notify.error(messageOf(error), { title: 'The link was not copied' }));

/** Returns why the link of a mail cannot be copied. */
const missingLinkText = ({ status }: MailView): string =>
  status === 'SENT'
    ? 'The link is no longer stored: the text of a mail is deleted when it is sent'
    : 'The text of this mail cannot be decrypted: SESSION_SECRET was changed';

export function MailTab() {
  const state = useListState({ sort: 'id', order: 'DESC', prefix: 'm-' });
  const result = useQuery(mailQuery(state.params));
  const [openedMail, setOpenedMail] = useState<MailView>();

  const actionsOf = (mail: MailView): readonly RowAction<MailView>[] => {
    const link = linkIn(mail.text);
    return [
      { label: 'Show mail', icon: Eye, onSelect: setOpenedMail },
      {
        label: 'Copy link',
        icon: Copy,
        onSelect: () => void (link !== undefined && copyLink(link)),
        unavailable: link === undefined ? missingLinkText(mail) : undefined,
      },
    ];
  };

  return (
    <>
      <DataGrid
        label="Mail outbox"
        entity="mail-outbox"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={mailId}
        rowActions={actionsOf}
        onOpen={setOpenedMail}
        filterFields={FILTERS}
        actions={
          <Button variant="ghost" onClick={() => void result.refetch()}>
            <RefreshCw />
            Refresh
          </Button>
        }
        empty={{
          title: 'No mail yet',
          description: 'Invitations and password resets appear here.',
        }}
      />
      {openedMail !== undefined && <MailDrawer mail={openedMail} onClose={() => setOpenedMail(undefined)} />}
    </>
  );
}

function MailDrawer({ mail, onClose }: { mail: MailView; onClose: () => void }) {
  const link = linkIn(mail.text);
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={mail.subject}
      description={`To ${mail.to}`}
      footer={
        link !== undefined && (
          <Button variant="primary" onClick={() => void copyLink(link)}>
            <Copy />
            Copy link
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {mail.status === 'KEPT' && (
          <Alert tone="info">
            No mail server was configured when this mail was created: send its link to the user in another way. The link
            opens their account.
          </Alert>
        )}
        {mail.status === 'WAITING' && (
          <Alert tone="info">The mail has not been sent yet. Failed attempts are repeated.</Alert>
        )}
        {mail.status === 'FAILED' && (
          <Alert tone="error" title={`Not sent after ${mail.attempts} attempts`}>
            {mail.lastError}
          </Alert>
        )}
        {mail.sentAt !== null && (
          <p className="text-muted">
            Sent <RelativeTime at={mail.sentAt} />
          </p>
        )}
        {mail.text !== null && <p className="whitespace-pre-wrap break-words">{mail.text}</p>}
      </div>
    </Drawer>
  );
}
