/** Creates a user: by an invitation mail, or with a password that the administrator passes on. */

import { VIEWER_ROLE_ID } from '@rdm/contracts/access/permissions';
import { type CreateUser, createUserSchema } from '@rdm/contracts/identity/identity';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router-dom';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, PasswordInput } from '../../../components/ui/input.tsx';
import { urlOf } from '../../../lib/api/index.ts';
import { useAuthConfig } from '../../../lib/auth/config.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { mailKey } from '../api/mail.ts';
import { createUser, reloadUsers } from '../api/users.ts';
import { ProfileFields } from './ProfileFields.tsx';
import { changesOf, PROFILE_TEXT_FIELDS, type ProfileEdit } from './profile.ts';

const FORM = 'invite';

const EMPTY_PROFILE: ProfileEdit = {
  username: '',
  email: '',
  firstName: '',
  lastName: '',
  displayName: '',
  phoneNumber: '',
  department: '',
  jobTitle: '',
  roleId: VIEWER_ROLE_ID,
};

type InvitedUser = Pick<CreateUser, 'username' | 'email'>;

const NOT_SENT = 'Invitation not sent yet';
const notSentText = ({ username }: InvitedUser): string =>
  `No mail server is configured: find the link for ${username} in the mail outbox, and send it to them.`;
const outboxUrl = ({ email }: InvitedUser): string => urlOf('/manage-users', { tab: 'mail', 'm-q': email });

/** The dialog stays open, because the toast can disappear before the administrator has sent the link. */
function NotSentDialog({ invited, onClose }: { invited: InvitedUser; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={NOT_SENT}
      description={notSentText(invited)}
      footer={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button asChild variant="primary">
            <Link to={outboxUrl(invited)} onClick={onClose}>
              Open the mail outbox
            </Link>
          </Button>
        </>
      }
    />
  );
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const { data: config } = useAuthConfig();
  const [profile, setProfile] = useState(EMPTY_PROFILE);
  const [isInvited, setIsInvited] = useState(true);
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(true);
  const [showsProblems, setShowsProblems] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [notSent, setNotSent] = useState<InvitedUser>();
  const filledFields = Object.fromEntries(
    PROFILE_TEXT_FIELDS.flatMap((field) => (profile[field] === '' ? [] : [[field, profile[field]]])),
  );
  const parsed = createUserSchema(config?.passwordRules).safeParse({
    username: '',
    email: '',
    ...filledFields,
    roleId: profile.roleId,
    ...(isInvited ? {} : { password, requirePasswordChange: mustChange }),
  });
  const problemOf = (field: string) =>
    showsProblems ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;
  const dirty = password !== '' || Object.keys(changesOf(EMPTY_PROFILE, profile)).length > 0;

  async function save(event: FormEvent) {
    event.preventDefault();
    setShowsProblems(true);
    if (!parsed.success) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { mail } = await createUser(parsed.data);
      if (mail === 'KEPT') {
        notify.success(NOT_SENT, { description: notSentText(parsed.data), href: outboxUrl(parsed.data) });
      } else notify.success(mail === 'WAITING' ? 'Invitation sent' : 'User created', { description: profile.username });
      await Promise.all([reloadUsers(queries), queries.invalidateQueries({ queryKey: mailKey })]);
      if (mail === 'KEPT') setNotSent(parsed.data);
      else onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  if (notSent !== undefined) return <NotSentDialog invited={notSent} onClose={onClose} />;
  return (
    <FormDialog
      dirty={dirty && !busy}
      onClose={onClose}
      title="Invite a user"
      description="The role determines which pages the user can open. Collections grant access to data."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {isInvited ? 'Send invitation' : 'Create user'}
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <ProfileFields value={profile} onChange={setProfile} problemOf={problemOf} />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium text-sm">First sign-in</legend>
          {[
            { value: true, label: 'By an invitation mail with a link to set a password' },
            { value: false, label: 'With a password that you give to the user' },
          ].map((choice) => (
            <label key={String(choice.value)} className="flex gap-2 text-sm">
              <input
                type="radio"
                name="invited"
                className="mt-1 shrink-0 accent-accent"
                checked={isInvited === choice.value}
                onChange={() => setIsInvited(choice.value)}
              />
              {choice.label}
            </label>
          ))}
        </fieldset>
        {!isInvited && (
          <>
            <Field label="Password" required error={problemOf('password')}>
              {(control) => (
                <PasswordInput
                  {...control}
                  autoComplete="new-password"
                  value={password}
                  onChange={(event) => setPassword(event.target.value)}
                />
              )}
            </Field>
            <LabelledCheckbox
              label="The user must change the password at the first sign-in"
              checked={mustChange}
              onCheckedChange={(ticked) => setMustChange(ticked === true)}
            />
          </>
        )}
      </form>
    </FormDialog>
  );
}
