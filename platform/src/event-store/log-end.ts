/** The pattern of `ACCEPT_LOG_END`: the position of the last event of a log whose loss an operator accepts. */
export const LOG_END_PATTERN = /^\d{1,18}$/;
/** Describes a valid value in an error message. */
export const LOG_END_EXPECTED = 'the position in the message with which the product refused to start, such as 48213';
