/** What the documentation says, topic by topic. */

export interface Topic {
  id: string;
  title: string;
  paragraphs: readonly string[];
  /** The page that the topic is about, where the sidebar does not list it. */
  page?: { to: string; label: string };
}

export const TOPICS: readonly Topic[] = [
  {
    id: 'start',
    title: 'First steps',
    paragraphs: [
      'Reference data lives in data sets. Each data set has a type, and the type says which fields its rows have and which of them make up the key.',
      'Define a type, create a data set of it in a collection, and fill it from a CSV file. Then map its values to those of another data set with a crosswalk, submit the mappings, and have a colleague approve them.',
    ],
  },
  {
    id: 'reference-types',
    title: 'Reference data types',
    paragraphs: [
      'The list shows every type with its fields; the switch shows primary keys alone or all columns.',
      'Editing and deleting first show what depends on the type. A primary-key field that a relationship or crosswalk references is locked. A type with data sets cannot be deleted.',
      'The schema drawer adds, renames, changes and retires fields. Rows are stored by field, so that a new name touches no row; a retired field keeps its history.',
    ],
  },
  {
    id: 'collections',
    title: 'Collections and permissions',
    paragraphs: [
      'A collection holds data sets and grants levels on them to people and groups: READ lets one look, WRITE change and submit, APPROVER decide, ADMIN administer. The highest level of all collections that hold a data set counts.',
      'Below Reference Data Collections the sidebar lists all data sets and the five that you opened last in this browser. The arrow beside the entry hides them; signing out clears them.',
      'A role decides which pages one may open. It never grants anything on a data set.',
      'Administrators of a collection open it: its data sets, its activity and its permissions, where “Effective access for” says which level somebody has and what gives it to them. Its readers find its data sets in the list of data sets. The owner is who created it and always has ADMIN; adding a data set needs ADMIN on it, too, so that nobody gains a level by collecting. A grant that is taken away is gone at once: pages say so, downloads break off, streams of changes end.',
      'Systems follow what changes at /api/changes: CloudEvents that say what changed where, never the data, from any point on (after), as pages, as server-sent events (/api/changes/stream) or over a WebSocket (/api/changes/ws).',
    ],
  },
  {
    id: 'api-keys',
    title: 'API keys',
    paragraphs: [
      'A system calls with an API key in place of a person, in the header “Authorization: Bearer …” or “X-API-Key”. Administrators create keys and choose what each may do in which collection: read, translate or write. Translate answers translations from the collection’s data sets and nothing else; write includes read and submitting for review. A key never approves, and what it does counts as its creator’s when changes are reviewed.',
      'The secret is shown once; only a hash of it is stored. Rotating gives a new one, and the old one works on for as long as you choose. Revoking ends the key with its next request, and stops its jobs. A key goes on working when its creator’s account is deactivated.',
      'Each answer says how many requests are left in the minute (X-RateLimit-Remaining); beyond that the answer is 429 and says when to come back (Retry-After).',
    ],
  },
  {
    id: 'api-testing',
    title: 'API testing',
    paragraphs: [
      'API Testing, in the Administration menu, translates the values of a CSV with an API key and shows what a system with that key gets. Paste the CSV, drop a file or choose one (UTF-8, up to 100,000 rows and 64 MiB; the first line names the columns), enter the key, choose the crosswalk and the column to translate, and run.',
      'Each row is mapped, fallback, unmapped or failed. A value that the crosswalk maps to several shows all of them. Failed rows say why: “401” means that the key is unknown, revoked or expired, “404” that it may not translate this crosswalk. A refused key does not sign you out.',
      'Unmapped values become missing mappings only if “Record unmapped values as missing” is ticked. Without the tick the page sends record=false, which any caller of translate may send: the request is then not counted.',
      '“Copy as curl” copies the call with the first value of the column and $API_KEY in place of the key. Export writes all transformed rows as CSV, several values of one row joined by “ | ”. What is on the page stays while you open other pages, and goes when you clear it, reload or sign out. The key is kept in memory only.',
    ],
  },
  {
    id: 'users',
    title: 'Users, groups and roles',
    paragraphs: [
      'Administrators invite people by mail; without a mail server the outbox shows the link to tell them. A role says which pages somebody opens, a group gathers people so that collections can grant something to all of them.',
      'Nobody is deleted. Deactivating signs somebody out at once and can be taken back; API keys that they created keep working until they are revoked. Erasing removes everything personal for good: what they did stays, and reads “Former user”.',
      'The last administrator can be neither demoted nor deactivated nor erased. A role that somebody has cannot be deleted.',
    ],
  },
  {
    id: 'imports',
    title: 'Imports',
    paragraphs: [
      'An import runs as a job with live progress. It says which rows were rejected and why; the rejected rows can be downloaded with the reason, mended and sent again. Codes stay text: leading zeros survive.',
      'The first of several rows with the same key wins; the others are rejected and named.',
    ],
  },
  {
    id: 'validation-test',
    title: 'Validation test',
    paragraphs: [
      'A validation test checks rows by the rules of an import, against a data set that you may read or against a reference data type. Nothing is imported and nothing is stored. Commands, the menu of a type and the menu of a data set lead to it.',
      'Paste CSV or JSON, or drop a file of at most 10 MiB. JSON is a list of objects, or an object that has one as “rows” or as “items”. JSON values have types: write a string field in quotation marks, a number field without.',
      'The result says how many rows are valid, which rules are broken by how many rows, and names every problem with its line, column, value and remedy. Choose a rule to list its problems alone. An import leaves out a column that matches no field; without a column for each key field no row is valid. Rows that exist in the data set already are no problem: the mode of an import decides about them.',
    ],
    page: { to: '/validation-test', label: 'Open the validation test' },
  },
  {
    id: 'sheet',
    title: 'Rows as a sheet',
    paragraphs: [
      'The rows of a data set are edited where they stand. Click a cell, or move with the arrows, and type; F2 or Enter opens what is there, Tab and Enter store it and go on, Escape leaves it as it was. Codes stay text, leading zeros included. Below the last row a line takes new ones.',
      'Shift and the arrows, or dragging, choose a range. Ctrl+C and Ctrl+X copy and cut it, Ctrl+V pastes from a spreadsheet: first a preview says which cells are new, changed or invalid. A paste with the key column finds its rows by it and adds those there are not; without it, cells are filled from the cursor on. Ctrl+D, or the handle at the corner of a range, fills down; Delete empties. Ctrl+Z takes back, Ctrl+Shift+Z does again; what others changed since is listed, and you are asked. Rows that are not on screen are read first; nothing is done before all of them are, and at most 10,000 cells are written at once.',
      'A data set has a label field: its value is shown beside the key of a row, in pickers, suggestions, comparisons and exports. Choose it under Edit; otherwise the field named name, label, title or similar is used.',
      'Editing a key adds a row with the new key and deletes the old one, as one step. A key that a mapping or a relationship speaks of does not change.',
      'Edits are stored in the background and kept until they are: a cell with a tick at its left waits, one with a double border was changed by somebody else meanwhile, and asks which value stands. Find and replace goes over everything that the filter finds, and says how many rows it touches before it runs.',
      'The list is scrolled as a whole, however long it is. “Go to row” leads to any of them; the right end of the toolbar chooses, orders and finds columns. Shift+Space selects a row, and a row’s panel shows its history and what refers to it.',
    ],
  },
  {
    id: 'relationships',
    title: 'Relationships and their values',
    paragraphs: [
      'A relationship says which rows of one data set belong to which of another; each pair is a value. Attributes say more of each: a date from which it holds, a share. A relationship is in force as soon as it is defined, its values once each of them is approved.',
      'The cardinality says how many values a row may have on either side. Drafts count too: a value that breaks the rule is refused, and the refusal names the value that it meets. Cardinality, the self rule and the data types of attributes are locked with the first value; “Copy as…” makes a relationship with other rules and lists what would break them. Only values of rows that are still there are copied.',
      'Values are added one by one, or imported by the keys of their rows from a paste, a CSV or a JSON file: which column holds what can be chosen, what each row would do is shown before anything is written, and a pair that is there is changed rather than doubled. A large import goes on while the page is closed, and can be undone as a whole. Export writes what the tab, the search and the filter find, as CSV, Excel or JSON, with both keys and the attributes: the CSV can be imported into another relationship as it is. A value whose source or target row was deleted is listed under Broken and cannot be submitted until it is edited, or its row is back. What was deleted stays under Deleted, with who did it and when, and is restored from there as a draft.',
      'Once a value was approved, deleting the relationship is decided by an approver, like any change; until then it goes at once. The list’s switch “Deleted” shows what went at once, with its values, and administrators of the source restore it; a deletion that was decided comes back for seven days by undoing that decision. Several relationships are chosen with X or the boxes, all that match with one click more, and each is answered for itself.',
      'An attribute is neither removed nor renamed while values under review say something under it.',
    ],
  },
  {
    id: 'exports',
    title: 'Exports',
    paragraphs: [
      'A data set is exported as CSV, XLSX or JSON: what the search and the filter find, in the order shown, with the columns shown, or everything. CSV and JSON have no limit. An XLSX file holds up to 200,000 cells; for more, export CSV or narrow the filter.',
      'Codes stay text in XLSX, leading zeros included; numbers, booleans and dates are typed. In CSV a text that a spreadsheet would take for a formula begins with an apostrophe, which an import takes away again. Whoever loses the right to read while a download lasts is cut off.',
    ],
  },
  {
    id: 'crosswalks',
    title: 'Crosswalks and mappings',
    paragraphs: [
      'A crosswalk maps the values of a source data set to those of a target. Suggestions come with a confidence and a reason; accepting one makes a draft (A). Dismissing one (R) says that the pair is none: it is suggested to nobody any more, the next candidate takes its place, and Dismissed lists who said so and suggests it again. By hand the pair may still be mapped.',
      'What translate is asked for in vain becomes a missing mapping, with how often, when, by whom (a person, or an API key by its name) and in what context. A caller may say its context, up to 200 characters: ?context= beside the value, or “context” in the body. Name a process, a job or a screen there, never a person: it is kept, and shown to whoever may read the crosswalk.',
      'Values serve translations once they and the crosswalk itself are approved. An approved value under edit keeps serving until its successor is approved.',
      'A crosswalk states its cardinality: what departs from it is warned about, not refused. It also says what an unmapped value yields: nothing, itself, or a fixed value; translate says that it is a fallback, and the change is reviewed.',
      'Mappings are exported as CSV, JSON, a FHIR R4 ConceptMap or SSSOM, and imported from the same: paste them or drop a file, look at what is new, changed, unchanged or invalid, and take them as drafts or submit them at once. The import is a job: it goes on when you leave the page, says of each refused row why, can be cancelled, and is undone as one. A crosswalk can be duplicated, and reversed with every mapping turned round. Deleted mappings stay under Deleted, and are restored from there as drafts.',
      'In the list of crosswalks several are chosen with X, Space or the boxes, or all that match, and submitted, recalled, approved, rejected, discarded or deleted together; each is answered for itself, and the bar below takes it back. Approving one whose deletion was asked for deletes it: the dialog names those. The switch “Deleted” lists what was deleted; administrators of the source restore it, with its mappings, as a draft that is reviewed again.',
    ],
  },
  {
    id: 'approvals',
    title: 'Approvals',
    paragraphs: [
      'A change is DRAFT until it is submitted, PENDING until somebody decides, then APPROVED or REJECTED. A rejection needs a reason; a rejected row must change before it is submitted again.',
      'Four eyes: who wrote, edited, imported or submitted a change cannot decide about it, administrators included.',
      'A bulk decision answers row by row: what was done, and what was refused and why. Over more than 10,000 rows it is a job, and so is taking it back, or deleting and restoring rows of a data set: its progress stands at the foot of the page and in the monitor, which names each refused row and what was tried with it, also as a file.',
      'The dashboard shows the queue by collection, batch, submitter or parent, the list, and the item you are at: what changes, and what leans on it. Of a mapping it says what translating answers from then on, how often its value was asked for, and which crosswalks lead on from its target. It names who looks at the same batch, and tells decisions of others as they are made. The address names the item: such a link, also in the notifications, opens that very item, whatever became of it.',
    ],
  },
  {
    id: 'notifications',
    title: 'Notifications',
    paragraphs: [
      'The bell tells what others did to your work, once for all that they did at once: that what you submitted was approved, rejected, revoked, recalled or taken back, by whom and with which words; that something of it was changed after a rejection; that a draft of yours beside an approved value was superseded or discarded; and how your jobs ended.',
      'What waits for your review is told too, one line for what was submitted together, with how much of it still waits. Once nothing does, it is not unread any more, whoever decided. What you do yourself is not told, apart from jobs, and what you may not read any more is left out.',
      'Each line leads to the very item, or to all that it is about. J and K or the arrows move, Enter opens, U marks as read or unread, E or Delete dismisses. What you have read is kept for you, on every machine: the newest 500 lines. What this tab said itself stands among them, and ends with it.',
    ],
  },
  {
    id: 'graph',
    title: 'Graph and integrity',
    paragraphs: [
      'The graph of a data set shows its neighbours and what joins them, fifty at a time; “+N more” shows further ones. The tables below the picture tell the same. What is public in the graph is shown to anybody under Graph Visualization: names and sizes of data sets, and how much is approved between two of them.',
      'A change of a schema is shown with the rows it touches before it is stored. Values are never rewritten: one that is not of its field’s new type reads as empty until it is entered again. Renaming a field touches no row.',
      'The badge Broken counts such values, mappings whose source or target no row has any more, and relationships whose rows were deleted; it leads to the list of them. They are marked where they stand, too: such a cell in the rows of the data set, such a value among the mappings and in the comparison.',
      'Deleted, in the head of a data set, lists the rows that were deleted: as they were last, with who deleted them and when. Whoever may write restores them there, one by one or all that match, and where a link leads to one.',
    ],
  },
  {
    id: 'monitor',
    title: 'Monitor',
    paragraphs: [
      'Jobs with their progress, rate and time left, and the system itself: throughput, the lag of each projection, connected clients. One sees the jobs of data sets one may read.',
      'A job says what it came to and names each row that it refused. What it did to mappings or values is undone from there as well, but for what somebody worked on since.',
    ],
  },
  {
    id: 'diagnostics',
    title: 'Diagnostics',
    paragraphs: [
      'The page /diagnostics, in the command palette, shows whether each part of the product is healthy, how long your session lasts at most, what your browser says of itself, and your requests and jobs that failed in the last 7 days. Administrators also see versions, migrations, disk, event store and read models, and the errors of all services. “Not known” means that the services cannot measure something from where they run.',
      'Each error has a correlation id. Give it to your administrator, who finds the changes of the same request with it in the audit log: in the menu of the row, or by a click on the id. Errors hold no names, values or addresses.',
      '“Copy report” copies all of it as text or as JSON, for whoever helps you. A report holds no passwords and no secrets of the installation. The page is read again with “Refresh”, and whenever you return to its window.',
    ],
  },
  {
    id: 'lists',
    title: 'Lists',
    paragraphs: [
      'Every list can be searched, filtered, sorted and paged; the address holds all of it, so that a link shows the same view. The buttons at its right choose columns and row height, and export what is shown. Columns are as wide as their content; drag the edge of a header, or press Shift and the arrows on it, to change a width, and double-click the edge to reset it. On a touch screen a tap opens a row.',
      '“Saved” beside the filter keeps how you look at a list under a name: filter, search, sorting and columns. A filter that you share is offered to everybody who may read the list; only you change it. It goes on working when a field of a data set is renamed.',
      'Filter conditions are joined by AND or OR and can be grouped. “Is one of” takes one value after each Enter, or a pasted column. Times are typed and shown in your own time zone. Regular expressions are PostgreSQL’s; one that takes too long is cancelled. Administrators say on the filter testing page by which fields and with which operators a list is filtered, try a filter there, and see how long it takes and what its plan costs.',
      'A row that somebody else changed flashes and shows who it was. Rows never move under the pointer: new ones wait behind a bar until you ask for them.',
      'If you and somebody else change the same record, your edit is never lost: different fields are merged, and for the same field you choose which value stands.',
    ],
  },
  {
    id: 'past',
    title: 'Looking at the past',
    paragraphs: [
      'The clock in the header shows a page as it stood at a time that you choose, in your own time zone: types, data sets and their rows, collections, crosswalks, mappings, comparisons, relationships and their values, the graph, and every export. Search, filters and sorting work as usual, and links stay in the past until “Back to now”. Nothing can be changed there. The approvals, the monitor, statistics, suggestions and the integrity of data tell of today only, and say so.',
      'The bar at the top says which time it is and up to which position of the log it tells. “Copy link” copies the page as of that position: whoever opens the link, today or in some years, sees the same, and an export of it is the same file to the last byte. In a history “Page as of then” leads to the page as it stood after that change.',
      'Who may look is decided by what is shared today: a time before somebody got access shows them what was there then, and access that was taken away takes the past with it. People are told by their ids in files of the past, so that they stay what they are.',
    ],
  },
  {
    id: 'shortcuts',
    title: 'Keyboard',
    paragraphs: [
      'Ctrl+K opens search and commands, Ctrl+B folds the sidebar, ? lists all shortcuts. In lists J and K or the arrows move, Enter opens, X or Space selects, Shift extends, / searches, Shift+F10 opens the menu of a row. S submits the draft in focus at once, Shift+S asks for a comment that the approver reads; A and Shift+A approve likewise.',
      'Single-key shortcuts can be switched off in the list that ? opens.',
    ],
  },
  {
    id: 'errors',
    title: 'What errors mean',
    paragraphs: [
      "“You don't have permission to perform this action”: your level on the data set, or your role, does not allow it. “You don't have APPROVER permission for this collection”: deciding needs the level APPROVER.",
      '“Submitted changes must be reviewed by a different user”: you took part in the change, somebody else has to decide.',
      '“Session expired or authentication required”: sign in again; you return to the page you were on.',
      '“Saved, syncing…” in the header: your change is stored, and the lists will show it in a moment.',
    ],
  },
];
