/** The exports of the toasts and notices. */
export {
  APP_ERROR_EVENT,
  type AppErrorDetail,
  clearHistory,
  dismissErrors,
  markHistoryRead,
  type Notice,
  notify,
} from './store.ts';
export { NoticeIcon, Toaster, useNotices } from './toaster.tsx';
