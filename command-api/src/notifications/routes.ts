/** Routes that mark and dismiss the user's own notifications: telemetry, not commands (docs/decisions/0045). */
import { DismissNotifications, MarkNotifications } from '@rdm/contracts';
import { type Pool, type Route, route } from '@rdm/platform';
import { dismiss, markRead } from './marks.ts';

export const NOTIFICATIONS = '/api/notifications';

export const notificationRoutes = (pool: Pool): Route[] => [
  route(
    'post',
    NOTIFICATIONS,
    { person: true },
    {
      summary: 'Mark notifications as read or unread',
      example: { body: { read: true, ids: ['1-0'] } },
      answers: { 204: null },
      body: MarkNotifications,
    },
    async ({ body, principal }) => {
      await markRead(pool, principal.userId, body, body.read);
      return { status: 204 };
    },
  ),

  route(
    'delete',
    NOTIFICATIONS,
    { person: true },
    {
      summary: 'Dismiss notifications',
      example: { body: { ids: ['1-0'] } },
      answers: { 204: null },
      body: DismissNotifications,
    },
    async ({ body, principal }) => {
      await dismiss(pool, principal.userId, body);
      return { status: 204 };
    },
  ),
];
