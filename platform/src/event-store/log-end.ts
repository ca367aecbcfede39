/** The form of `ACCEPT_LOG_END`, which is the position of the event with which the log may end although later events were lost. */
export const LOG_END = /^\d{1,18}$/;
export const LOG_END_EXPECTED = 'the position that the refusal to start names, such as 48213';
