import { describe, expect, it } from 'vitest';
import {
  changePasswordSchema,
  createUserSchema,
  Login,
  passwordSchema,
  registerSchema,
  resetPasswordSchema,
} from './identity.ts';

const messagesOf = (password: string, specialCharacter = true) =>
  passwordSchema({ minLength: 10, specialCharacter })
    .safeParse(password)
    .error?.issues.map((issue) => issue.message) ?? [];

describe('a new password', () => {
  it('needs ten characters', () => {
    expect(messagesOf('Abcdefg1!')).toContain('Password must be at least 10 characters');
    expect(messagesOf('Abcdefgh1!')).toEqual([]);
  });
  it.each(['abcdefgh1!', 'ABCDEFGH1!', 'Abcdefghi!', 'Abcdefghi1'])(
    'must not be %s, because a character class is missing',
    (password) => {
      expect(messagesOf(password)).toEqual([
        'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
      ]);
    },
  );
  it('needs no special character if the setting disables this rule', () => {
    expect(messagesOf('Abcdefghi1', false)).toEqual([]);
    expect(messagesOf('abcdefghi1', false)).toEqual([
      'Password must contain at least one uppercase letter, one lowercase letter, and one number',
    ]);
  });
});

describe('a name', () => {
  const isAccepted = (username: string, displayName = 'Ada') =>
    createUserSchema().safeParse({ username, displayName, email: 'a@example.com', roleId: 4 }).success;
  it.each(['ada', 'Ada.Lovelace-2', 'žofie_1', '李雷'])('may be %s', (username) =>
    expect(isAccepted(username)).toBe(true),
  );
  it.each([
    ['an invisible character', 'ada\u200b'],
    ['a character that reverses the direction of the text', '\u202enimda'],
    ['a control character', 'ada\u0007'],
    ['a space', 'ada lovelace'],
    ['an @', 'ada@example'],
  ])('must not have %s', (_, username) => expect(isAccepted(username)).toBe(false));
  it('may have spaces, but no character that reverses the direction, if it is a display name', () => {
    expect(isAccepted('ada', 'Ada\u202e')).toBe(false);
    expect(isAccepted('ada', 'Ada Lovelace (née Byron)')).toBe(true);
  });
});

describe('changing a password', () => {
  const issuesOf = (body: object) =>
    changePasswordSchema()
      .safeParse(body)
      .error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? [];

  it('requires the current password', () => {
    expect(issuesOf({ currentPassword: '', newPassword: 'Abcdefgh1!' })).toEqual([
      ['currentPassword', 'Current password is required'],
    ]);
  });
  it('requires equal passwords if the confirmation is sent', () => {
    const body = { currentPassword: 'x', newPassword: 'Abcdefgh1!' };
    expect(issuesOf({ ...body, confirmNewPassword: 'Abcdefgh1?' })).toEqual([
      ['confirmNewPassword', "Passwords don't match"],
    ]);
    expect(issuesOf({ ...body, confirmNewPassword: '' })).toContainEqual([
      'confirmNewPassword',
      'Please confirm your password',
    ]);
    expect(issuesOf(body)).toEqual([]);
  });
});

describe('a body without fields', () => {
  const messagesOf = (schema: {
    safeParse: (body: unknown) => { error?: { issues: readonly { message: string }[] } };
  }) => schema.safeParse({}).error?.issues.map((issue) => issue.message);

  it.each([
    ['signing in', Login, ['Username is required', 'Password is required']],
    [
      'changing a password',
      changePasswordSchema(),
      ['Current password is required', 'Password must be at least 10 characters'],
    ],
    [
      'registering',
      registerSchema(),
      ['Invalid email format', 'Password must be at least 10 characters', 'Please confirm your password'],
    ],
    [
      'resetting a password',
      resetPasswordSchema(),
      ['The link from the mail is required', 'Password must be at least 10 characters', 'Please confirm your password'],
    ],
    ['inviting a user', createUserSchema(), ['Username is required', 'Invalid email format', 'A role is required']],
  ])('is refused when %s, with a message for each required field', (_what, schema, expected) => {
    expect(messagesOf(schema)).toEqual(expected);
  });
});
