/** Tests signing in, registering, and resetting and changing the password (specification §2, §4, §5, §7 and §8). */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { userQuery } from '../../lib/auth/index.ts';
import { type FakeServer, fakeServer, type Reply, showPage, steward } from '../../testing/page.tsx';
import RequiredPasswordChange from './components/RequiredPasswordChange.tsx';
import ResetPassword from './pages/ResetPassword.tsx';
import SignIn from './pages/SignIn.tsx';

const authConfig = { providers: [], registration: 'off', passwordRules: { minLength: 10, specialCharacter: true } };
let server: FakeServer;

beforeEach(() => {
  sessionStorage.clear();
  window.pendingErrors = [];
  server = fakeServer({ 'GET /api/auth/config': { body: authConfig }, 'POST /api/logout': {} });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const type = (label: string | RegExp, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
const calls = (path: string) => server.sent.filter((call) => call.path === path);

describe('signing in', () => {
  const signIn = () => {
    type('Username', 'steward');
    type('Password', 'secret');
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  };

  it.each<[string, Reply]>([
    ['in the property data', { body: { success: true, data: steward } }],
    ['as the whole body', { body: steward }],
  ])('accepts a response with the user %s, sets the session flag and shows a toast', async (_, reply) => {
    server.on('POST /api/login', reply);
    const { queries } = showPage(<SignIn />, { user: null });
    signIn();
    expect(await screen.findByText('Logged in successfully')).toBeTruthy();
    expect(calls('/api/login')[0]?.body).toEqual({ username: 'steward', password: 'secret' });
    expect(queries.getQueryData(userQuery.queryKey)).toEqual(steward);
    expect(sessionStorage.getItem('session_exists')).not.toBeNull();
  });

  it.each<[Reply, string]>([
    [{ status: 401, body: { error: 'Wrong username or password' } }, 'Wrong username or password'],
    [
      { status: 429, body: { error: 'Account is temporarily locked. Try again in 15 minutes.' } },
      'Account is temporarily locked. Try again in 15 minutes.',
    ],
    [{ status: 401, body: {} }, 'Authentication failed'],
  ])('shows an error in a dialog after the response %j', async (reply, text) => {
    server.on('POST /api/login', reply);
    showPage(<SignIn />, { user: null });
    signIn();
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Login failed' }));
    expect(dialog.getByText(text)).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: 'OK' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  });

  it('shows “Login failed” after a server error without a message', async () => {
    server.on('POST /api/login', { status: 502 });
    showPage(<SignIn />, { user: null });
    signIn();
    const dialog = within(await screen.findByRole('alertdialog'));
    expect(dialog.getAllByText('Login failed')).toHaveLength(2);
  });

  it('reports missing input before it sends a request', () => {
    showPage(<SignIn />, { user: null });
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(screen.getByText('Username is required')).toBeTruthy();
    expect(screen.getByText('Password is required')).toBeTruthy();
    expect(calls('/api/login')).toEqual([]);
  });
});

describe('registering', () => {
  const open = async (config: object = { ...authConfig, registration: 'open' }) => {
    server.on('GET /api/auth/config', { body: config });
    showPage(<SignIn />, { user: null, at: '/auth?mode=register' });
    await screen.findByRole('button', { name: 'Register' });
  };
  const register = () => fireEvent.click(screen.getByRole('button', { name: 'Register' }));

  it('sends only the filled fields, and signs the user in', async () => {
    await open();
    server.on('POST /api/register', { status: 201, body: steward });
    type(/^E-mail/, ' ada@example.com ');
    type(/^Password/, 'Correct-horse-1');
    type(/^Confirm password/, 'Correct-horse-1');
    type('Department', 'Engines');
    register();
    expect(await screen.findByText('Registration successful')).toBeTruthy();
    expect(calls('/api/register')[0]?.body).toEqual({
      email: 'ada@example.com',
      password: 'Correct-horse-1',
      confirmPassword: 'Correct-horse-1',
      department: 'Engines',
    });
    expect(sessionStorage.getItem('session_exists')).not.toBeNull();
  });

  it.each([
    ['with a special character', true, 'NoSpecialCharacter1'],
    ['without a special character', false, 'lowercase-only-1'],
  ])('validates the e-mail and a password rule %s before the request', async (_, specialCharacter, password) => {
    await open({ ...authConfig, registration: 'open', passwordRules: { minLength: 10, specialCharacter } });
    type(/^Password/, password);
    register();
    const rule = 'Password must contain at least one uppercase letter, one lowercase letter, ';
    const ruleEnd = specialCharacter ? 'one number, and one special character' : 'and one number';
    expect(await screen.findByText(rule + ruleEnd)).toBeTruthy();
    expect(screen.getByText('Invalid email format')).toBeTruthy();
    expect(calls('/api/register')).toEqual([]);
  });

  it('shows an error even if the response has no message', async () => {
    await open();
    server.on('POST /api/register', { status: 409 });
    type(/^E-mail/, 'ada@example.com');
    type(/^Password/, 'Correct-horse-1');
    type(/^Confirm password/, 'Correct-horse-1');
    register();
    const dialog = within(await screen.findByRole('alertdialog'));
    expect(dialog.getAllByText('Registration failed')).toHaveLength(2);
  });

  it('is not offered while registration is turned off', async () => {
    showPage(<SignIn />, { user: null, at: '/auth?mode=register' });
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeTruthy();
    expect(screen.queryByText('Create an account')).toBeNull();
  });
});

describe('resetting a password', () => {
  it('reports missing input, sends the token of the link, and shows the reason for a failure', async () => {
    showPage(<ResetPassword />, { user: null, at: '/reset-password?token=t0' });
    const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Reset password' }));
    submit();
    expect(await screen.findByText('Please confirm your password')).toBeTruthy();
    expect(calls('/api/reset-password')).toEqual([]);
    server.on('POST /api/reset-password', { status: 400, body: { error: 'This link is not valid any more.' } });
    type(/^New password/, 'Correct-horse-1');
    type(/^Confirm new password/, 'Correct-horse-1');
    submit();
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Password reset failed' }));
    expect(dialog.getByText('This link is not valid any more.')).toBeTruthy();
    expect(calls('/api/reset-password')[0]?.body).toEqual({
      token: 't0',
      password: 'Correct-horse-1',
      confirmPassword: 'Correct-horse-1',
    });
  });
});

describe('the page of an invitation', () => {
  it('requests the first password, and does not mention a reset', async () => {
    showPage(<ResetPassword />, { user: null, at: '/reset-password?token=t0&invited=true' });
    expect(await screen.findByText('Choose your password.')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^Code of the invitation/).value).toBe('t0');
    server.on('POST /api/reset-password', { status: 400, body: { error: 'This link is not valid any more.' } });
    type(/^Password/, 'Correct-horse-1');
    type(/^Confirm password/, 'Correct-horse-1');
    expect(document.body.textContent).not.toMatch(/reset|token/i);
    fireEvent.click(screen.getByRole('button', { name: 'Choose password' }));
    await waitFor(() => expect(calls('/api/reset-password')).toHaveLength(1));
    expect(calls('/api/reset-password')[0]?.body).toMatchObject({ token: 't0', password: 'Correct-horse-1' });
  });
});

describe('the mandatory password change', () => {
  const CURRENT = /^Current Password/;
  const NEW = /^New Password/;
  const CONFIRM = /^Confirm New Password/;
  const fill = (password = 'Correct-horse-1') => {
    type(CURRENT, 'old');
    type(NEW, password);
    type(CONFIRM, password);
  };
  const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Change Password' }));

  it.each([
    ['Short-1', 'Password must be at least 10 characters'],
    [
      'lowercase-only-1',
      'Password must contain at least one uppercase letter, one lowercase letter, one number, and one special character',
    ],
  ])('validates the password %s when it is typed', async (password, message) => {
    showPage(<RequiredPasswordChange />);
    type(NEW, password);
    expect(await screen.findByText(message)).toBeTruthy();
  });

  it('compares the confirmation while the current password is empty', async () => {
    showPage(<RequiredPasswordChange />);
    type(NEW, 'Correct-horse-1');
    type(CONFIRM, 'Correct-horse-2');
    expect(await screen.findByText("Passwords don't match")).toBeTruthy();
  });

  it('requires all three fields', async () => {
    showPage(<RequiredPasswordChange />);
    submit();
    expect(await screen.findByText('Current password is required')).toBeTruthy();
    expect(screen.getByText('Password must be at least 10 characters')).toBeTruthy();
    expect(screen.getByText('Please confirm your password')).toBeTruthy();
  });

  it('reports the success, and signs the user out two seconds later', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    server.on('POST /api/change-password', { body: { success: true } });
    const assignLocation = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
    showPage(<RequiredPasswordChange />);
    fill();
    submit();
    expect(await screen.findByText('Your password has been successfully updated.')).toBeTruthy();
    expect(calls('/api/change-password')[0]?.body).toEqual({
      currentPassword: 'old',
      newPassword: 'Correct-horse-1',
      confirmNewPassword: 'Correct-horse-1',
    });
    vi.advanceTimersByTime(1_000);
    expect(calls('/api/logout')).toEqual([]);
    vi.advanceTimersByTime(1_000);
    await waitFor(() => expect(assignLocation).toHaveBeenCalledWith('/auth'));
    expect(calls('/api/logout')).toHaveLength(1);
    assignLocation.mockRestore();
  });

  it.each<[Reply, string]>([
    [{ status: 400, body: { data: { message: 'Used before' }, message: 'no' } }, 'Used before'],
    [{ status: 400, body: { message: 'The current password is wrong' } }, 'The current password is wrong'],
  ])('shows the message of the response %j in the dialog', async (reply, text) => {
    server.on('POST /api/change-password', reply);
    showPage(<RequiredPasswordChange />);
    fill();
    submit();
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getByText('Failed to change password')).toBeTruthy();
    expect(alert.getByText(text)).toBeTruthy();
  });

  it('shows “Failed to change password” if the response has no message', async () => {
    server.on('POST /api/change-password', { status: 400 });
    showPage(<RequiredPasswordChange />);
    fill();
    submit();
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getAllByText('Failed to change password')).toHaveLength(2);
  });

  it.each([
    ['its message', 'No random numbers', 'No random numbers'],
    ['a general message if the exception has no message', '', 'An unexpected error occurred. Please try again.'],
  ])('shows an unexpected exception with %s', async (_, message, text) => {
    showPage(<RequiredPasswordChange />);
    fill();
    // The client fails when it creates the Idempotency-Key, before it sends the request.
    const failingRandom = vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
      throw new Error(message);
    });
    submit();
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getByText('Failed to change password')).toBeTruthy();
    expect(alert.getByText(text)).toBeTruthy();
    expect(calls('/api/change-password')).toEqual([]);
    failingRandom.mockRestore();
  });

  it('signs the user out when the dialog is closed', async () => {
    const assignLocation = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
    showPage(<RequiredPasswordChange />);
    fireEvent.click(screen.getByRole('button', { name: 'Close and sign out' }));
    await waitFor(() => expect(assignLocation).toHaveBeenCalledWith('/auth'));
    expect(calls('/api/logout')).toHaveLength(1);
    assignLocation.mockRestore();
  });
});
