/** The exports of the store of notices. */
export {
  APP_ERROR_EVENT,
  type AppErrorDetail,
  clearHistory,
  dismissErrors,
  markRead,
  type Notice,
  notify,
} from './store.ts';
export { NoticeIcon, Toaster, useNotices } from './toaster.tsx';
