import { describe, expect, it } from 'vitest';
import { changePasswordSchema, passwordSchema } from './identity.ts';

const words = (password: string, specialCharacter = true) =>
  passwordSchema({ minLength: 10, specialCharacter })
    .safeParse(password)
    .error?.issues.map((issue) => issue.message) ?? [];

describe('a new password', () => {
  it('has ten characters', () => {
    expect(words('Aa1!')).toContain('Password must be at least 10 characters');
    expect(words('Abcdefgh1!')).toEqual([]);
  });
  it.each(['abcdefgh1!', 'ABCDEFGH1!', 'Abcdefghi!', 'Abcdefghi1'])('%s lacks a class of characters', (password) => {
    expect(words(password)).toEqual([
      'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
    ]);
  });
  it('needs no special character where the setting says so', () => {
    expect(words('Abcdefghi1', false)).toEqual([]);
    expect(words('abcdefghi1', false)).toEqual([
      'Password must contain at least one uppercase letter, one lowercase letter, and one number',
    ]);
  });
});

describe('changing a password', () => {
  const issues = (body: object) =>
    changePasswordSchema()
      .safeParse(body)
      .error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? [];

  it('asks for the current one', () => {
    expect(issues({ currentPassword: '', newPassword: 'Abcdefgh1!' })).toEqual([
      ['currentPassword', 'Current password is required'],
    ]);
  });
  it('asks for the same twice, where it is sent twice', () => {
    const body = { currentPassword: 'x', newPassword: 'Abcdefgh1!' };
    expect(issues({ ...body, confirmNewPassword: 'Abcdefgh1?' })).toEqual([
      ['confirmNewPassword', "Passwords don't match"],
    ]);
    expect(issues({ ...body, confirmNewPassword: '' })).toContainEqual([
      'confirmNewPassword',
      'Please confirm your password',
    ]);
    expect(issues(body)).toEqual([]);
  });
});
