/** Constants of the specification (§9 and §4), and limits and texts that several workspaces share. */

export const PASSWORD_MIN_LENGTH = 10;
/** The number of last passwords, including the current one, that a new password must not repeat. */
export const PASSWORD_HISTORY_LENGTH = 5;
export const PASSWORD_CHANGE_REDIRECT_MS = 2_000;

export const SESSION_TIMEOUT_MINUTES = 120;
export const SESSION_WARNING_MINUTES = 115;
export const SESSION_COUNTDOWN_SECONDS = 300;
export const ACTIVITY_SAMPLING_MS = 1_000;
/** The maximum lifetime of a session, regardless of activity, unless a setting replaces this default. */
export const SESSION_ABSOLUTE_HOURS = 24;
export const HEARTBEAT_INTERVAL_MS = 60_000;

export const AUTH_ERROR_TOAST_MS = 8_000;
export const NOTIFICATION_AUTO_CLOSE_MS = 1_000;
export const NOTIFICATION_MAX_VISIBLE = 1;
export const NOTIFICATION_REMOVE_DELAY_MS = 1_000;
export const NOTIFICATION_ERROR_REMOVE_DELAY_MS = 1_000_000;
export const NOTIFICATION_WIDTH_PX = 250;
export const NOTIFICATION_HEIGHT_PX = 100;
export const NOTIFICATION_TEXT_WIDTH_PX = 230;
export const NOTIFICATION_TEXT_HEIGHT_PX = 80;

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 1_000;
export const API_TESTING_PAGE_SIZE = 50;
/** The rows of a filtered list are counted up to this number. If there are more rows, `total` is `{ atLeast }`. */
export const COUNT_CAP = 10_000;

export const ZOOM_DEFAULT = 1;
export const ZOOM_STEP = 0.1;
export const ZOOM_MIN = 0.5;
export const ZOOM_MAX = 2;
export const ZOOM_AUTO_HIDE_MS = 3_000;
export const BACK_TO_TOP_PX = 300;
export const HORIZONTAL_SCROLL_STEP_PX = 300;
export const SIDEBAR_WIDTH_PX = 256;
export const SIDEBAR_COLLAPSED_PX = 64;
export const SIDEBAR_MOBILE_WIDTH_REM = 18;
export const SIDEBAR_COOKIE_SECONDS = 604_800;
export const MOBILE_BREAKPOINT_PX = 768;
export const TOOLTIP_DELAY_MS = 700;
export const TOOLTIP_SKIP_DELAY_MS = 300;
export const CODE_VERIFIER_BYTES = 64;
export const ERROR_PREVIEW_CHARACTERS = 500;
export const TYPE_LIST_RELOAD_MS = 500;

export const CROSSWALK_CONFIDENCE_DEFAULT = 100;
/** The maximum number of missing mappings of a crosswalk; requests for further values are neither recorded nor counted. */
export const MISSING_MAPPINGS_PER_CROSSWALK = 100_000;

/** The maximum number of rows that a bulk decision handles within its request; more rows become a job. */
export const BULK_ANSWER_ROWS = 10_000;
/** The maximum number of characters of a cell. */
export const CELL_CHARACTERS_MAX = 100_000;
/** The maximum number of rows in one event. */
export const EVENT_ROWS_MAX = 1_000;
/** The maximum number of bytes of the data of one event. */
export const EVENT_BYTES_MAX = 768 * 1024;
/**
 * The number of buckets, which are the streams with the rows of an entity. The id of a row modulo this number
 * determines its stream, so the number must never change.
 */
export const BUCKETS = 64;
/** The maximum number of values of a one-to-one relationship. One bucket contains all of them. */
export const ONE_TO_ONE_VALUES_MAX = 100_000;
export const TRANSLATE_VALUES_MAX = 10_000;
export const SELECTION_TTL_MINUTES = 60;
export const MIN_POSITION_WAIT_MS = 500;
export const OWN_WRITE_FRESHNESS_MS = 10_000;
/** The maximum number of ids in a live message. If more ids changed, the message contains only their number. */
export const LIVE_IDS_MAX = 100;

export const QUERY_STALE_MS = 15_000;
export const QUERY_CACHE_MS = 300_000;
export const CURRENT_USER_STALE_MS = 30_000;

/** The maximum number of rows of a data set that one command may write; more rows need an import. */
export const INSTANCES_PER_COMMAND = 10_000;

/** The longest filter in an address, in characters. */
export const FILTER_TEXT_MAX = 50_000;

/**
 * The maximum number of bytes of the request line and headers of a request. The address of a list contains its whole
 * filter, percent-encoded: an ASCII character needs up to three bytes, a non-ASCII character up to twelve.
 */
export const HEADER_BYTES_MAX = 256 * 1024;

/** The number of consecutive wrong passwords after which signing in is locked. */
export const LOCK_AFTER_FAILURES = 5;

/**
 * The readiness check of query-api reports this text until the read models are complete for the first time. Meanwhile,
 * the front door shows the page of a starting product.
 */
export const READ_MODELS_STARTING = 'the log is not projected yet';
