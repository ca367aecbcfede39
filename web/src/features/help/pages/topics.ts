/** The topics of the documentation page. */

export interface Topic {
  id: string;
  title: string;
  paragraphs: readonly string[];
  /** A link to the page that the topic describes, for pages that the sidebar does not list. */
  page?: { to: string; label: string };
}

export const TOPICS: readonly Topic[] = [
  {
    id: 'start',
    title: 'First steps',
    paragraphs: [
      'Reference data is stored in data sets. Each data set has a type, which defines the fields of its rows and the fields that make up the key.',
      'To begin, define a type, create a data set of that type in a collection, and fill it from a CSV file. Then map its values to those of another data set with a crosswalk, submit the mappings, and have a colleague approve them.',
    ],
  },
  {
    id: 'reference-types',
    title: 'Reference data types',
    paragraphs: [
      'The list shows every type with its fields. The switch above the list shows primary keys only or all columns.',
      'Before you edit or delete a type, the page lists what depends on it. A primary-key field is locked while a relationship or a crosswalk references it. A type with data sets cannot be deleted.',
      'Add, rename, change and retire fields in the schema drawer. Renaming a field changes no row. A retired field keeps its history.',
    ],
  },
  {
    id: 'collections',
    title: 'Collections and permissions',
    paragraphs: [
      'A collection holds data sets and grants access levels on them to users and groups. READ: view the data. WRITE: change it and submit changes. APPROVER: approve and reject changes. ADMIN: manage the data sets and their permissions. If several collections hold a data set, the highest of your levels applies.',
      'Below Reference Data Collections, the sidebar lists all data sets and the five that you opened most recently in this browser. The arrow beside the entry hides the list. Signing out clears the recent data sets.',
      'A role determines which pages a user can open. A role never grants access to a data set.',
      'Administrators of a collection can open it to see its data sets, its activity and its permissions. “Effective access for” shows the level of a user and the grants that give it. Users with READ, WRITE or APPROVER find the data sets of the collection in the list of data sets. The user who created a collection is its owner and always has ADMIN. To add a data set to a collection you also need ADMIN on the data set, so that a user cannot raise their own level by creating a collection. Removing a grant takes effect immediately: open pages show a message, downloads stop and change streams end.',
      'Other systems can follow changes at /api/changes. It returns CloudEvents that describe which record changed and how, without the data, starting after any position (the parameter “after”). The events are available as pages, as server-sent events (/api/changes/stream) or over a WebSocket (/api/changes/ws).',
    ],
  },
  {
    id: 'api-keys',
    title: 'API keys',
    paragraphs: [
      'A system authenticates with an API key in the header “Authorization: Bearer …” or “X-API-Key”. Administrators create keys and choose the scope of each key for each collection: read, translate or write. Translate allows translation requests on the data sets of the collection and nothing else. Write includes read and submitting for review. A key can never approve a change. In a review, changes made with a key count as changes by the user who created the key.',
      'The secret is shown once; only its hash is stored. Rotating a key creates a new secret, and the old secret stays valid for as long as you choose. Revoking a key rejects its next request and stops its jobs. A key keeps working when the account of its creator is deactivated.',
      'Each response contains the number of requests left in the current minute (X-RateLimit-Remaining). When the limit is exceeded, the response is 429 and contains the time to wait (Retry-After).',
    ],
  },
  {
    id: 'api-testing',
    title: 'API testing',
    paragraphs: [
      'API Testing, in the Administration menu, translates the values of a CSV file with an API key and shows the responses that a system with that key receives. Paste the CSV, drop a file or choose one (UTF-8, up to 100,000 rows and 64 MiB; the first line contains the column names). Then enter the key, choose the crosswalk and the column to translate, and run the test.',
      'Each row is mapped, fallback, unmapped or failed. If the crosswalk maps a value to several targets, the row shows all of them. Failed rows show the reason: “401” means that the key is unknown, revoked or expired; “404” means that the key has no permission to translate with this crosswalk. A rejected key does not sign you out.',
      'Unmapped values are recorded as missing mappings only if “Record unmapped values as missing” is selected. Otherwise the page sends record=false, and the request is not counted. Any caller of the translate API can send this parameter.',
      '“Copy as curl” copies the request for the first value of the column, with $API_KEY in place of the key. Export writes all translated rows as CSV; several targets of one row are joined by “ | ”. The page keeps its contents while you open other pages, until you clear it, reload or sign out. The key is kept in memory only.',
    ],
  },
  {
    id: 'users',
    title: 'Users, groups and roles',
    paragraphs: [
      'Administrators invite users by mail. Without a mail server, the outbox shows the invitation link so that an administrator can send it another way. A role determines which pages a user can open. A group combines users so that a collection can grant access to all of them at once.',
      'User accounts are not deleted. Deactivating a user signs them out immediately and can be undone; API keys that they created keep working until they are revoked. Erasing a user permanently removes all personal data. Their changes are kept and are shown under the name “Former user”.',
      'The last administrator cannot be demoted, deactivated or erased. A role that is assigned to a user cannot be deleted.',
    ],
  },
  {
    id: 'imports',
    title: 'Imports',
    paragraphs: [
      'An import runs as a job with live progress. It lists the rejected rows with the reason for each. You can download the rejected rows, correct them and import them again. Codes are stored as text, so leading zeros are kept.',
      'If several rows have the same key, the first is imported and the others are rejected and listed.',
      'New rows are numbered in the order of the file. The column “Order of entry” of the data set sorts by these numbers. Rows that were imported before this numbering was introduced keep their existing order.',
    ],
  },
  {
    id: 'validation-test',
    title: 'Validation test',
    paragraphs: [
      'A validation test checks rows against the rules of an import, for a data set that you can read or for a reference data type. It imports nothing and stores nothing. You can open it from the command palette and from the menu of a type or a data set.',
      'Paste CSV or JSON, or drop a file of at most 10 MiB. JSON is a list of objects, or an object with such a list under “rows” or “items”. JSON values are typed: write the value of a string field in quotation marks and the value of a number field without.',
      'The result shows the number of valid rows, the number of rows that break each rule, and every problem with its line, column, value and solution. Choose a rule to list only its problems. An import ignores columns that match no field. If the column of a key field is missing, no row is valid. A row that already exists in the data set is not a problem; the mode of the import determines how such rows are handled.',
    ],
    page: { to: '/validation-test', label: 'Open the validation test' },
  },
  {
    id: 'sheet',
    title: 'Editing rows in the sheet',
    paragraphs: [
      'You edit the rows of a data set directly in the list. Click a cell or move to it with the arrow keys, and type. F2 or Enter edits the current value, Tab and Enter save the cell and move on, and Escape cancels. Codes stay text, including leading zeros. Add new rows in the line below the last row.',
      'Select a range with Shift and the arrow keys or by dragging. Ctrl+C copies and Ctrl+X cuts the range. Ctrl+V pastes from a spreadsheet, after a preview that shows which cells are new, changed or invalid. If the pasted cells include the key column, existing rows are found by their key and missing rows are added; without it, the cells are filled from the cursor on. Ctrl+D, or the handle at the corner of a range, fills down; Delete clears the cells. Ctrl+Z undoes and Ctrl+Shift+Z redoes. If other users have changed the same cells since, the changes are listed and you decide which values to keep. Rows that are not on screen are loaded before the action starts. One action writes at most 10,000 cells.',
      'A data set has a label field. Its value is shown beside the key of a row, in pickers, suggestions, comparisons and exports. Choose the label field under Edit. If none is chosen, a field with a name such as name, label or title is used.',
      'Editing a key adds a row with the new key and deletes the old row, as one step. A key cannot be changed while a mapping or a relationship references it.',
      'Edits are saved in the background and kept in the browser until they are saved. A cell with a tick at its left is waiting to be saved. A cell with a double border was changed by another user in the meantime; choose which value to keep. Find and replace covers all rows that match the filter and shows the number of affected rows before it runs.',
      'The list scrolls as a whole, whatever its length. Rows are sorted by their key, one key field after the other, with numbers sorted as numbers and dates as dates. Exports have the same order as the list. The column “Order of entry”, which you can show in the column menu, sorts rows in the order in which they were imported or added. “Go to row” opens the position of a row. Use the right end of the toolbar to choose, reorder and find columns. Shift+Space selects a row. The panel of a row shows its history and the records that refer to it.',
    ],
  },
  {
    id: 'relationships',
    title: 'Relationships and their values',
    paragraphs: [
      'A relationship connects rows of one data set to rows of another. Each pair of rows is a value of the relationship. Attributes add details to a value, such as a start date or a share. A relationship takes effect when it is defined; each of its values takes effect when it is approved.',
      'The cardinality defines how many values a row can have on either side. Drafts count too: a value that breaks the rule is rejected, and the message names the conflicting value. The cardinality, the setting “Allow self-relations” and the data types of attributes are locked once the first value exists. “Copy as…” creates a relationship with other rules and lists the values that would break them. Only values whose rows still exist are copied.',
      'Values are added one by one, or imported by the keys of their rows from pasted text, a CSV file or a JSON file. You choose the meaning of each column, and a preview shows the result for each row before anything is written. A pair that already exists is changed, not duplicated. A large import continues when you close the page, and can be undone as a whole. Export writes the values that match the tab, the search and the filter as CSV, Excel or JSON, with both keys and the attributes. The CSV file can be imported into another relationship without changes. A value whose source or target row was deleted is listed under Broken; it cannot be submitted until you edit it or the row is restored. Deleted values stay under Deleted, with the user and the time of the deletion. A restored value becomes a draft.',
      'If a value of the relationship was ever approved, an approver must approve the deletion of the relationship. Otherwise the relationship is deleted immediately. The switch “Deleted” above the list shows relationships that were deleted immediately, with their values; administrators of the source data set can restore them. A deletion that was approved can be undone for seven days by undoing the decision. Select several relationships with X or the checkboxes, and all matching ones with one more click. The result is reported for each relationship.',
      'An attribute cannot be removed or renamed while values under review use it.',
    ],
  },
  {
    id: 'exports',
    title: 'Exports',
    paragraphs: [
      'A data set is exported as CSV, XLSX or JSON: either the rows that match the search and the filter, in the order and with the columns shown, or all rows. CSV and JSON files have no size limit. An XLSX file holds up to 200,000 cells; for more, export CSV or narrow the filter.',
      'In XLSX, codes are text, including leading zeros; numbers, booleans and dates are typed. In CSV, a text that a spreadsheet would interpret as a formula starts with an apostrophe, which an import removes again. A download stops if you lose the permission to read the data set.',
    ],
  },
  {
    id: 'crosswalks',
    title: 'Crosswalks and mappings',
    paragraphs: [
      'A crosswalk maps the values of a source data set to those of a target data set. Each suggestion has a confidence and a reason. Accepting a suggestion creates a draft (A). Dismissing a suggestion (R) removes it for all users, and the next candidate takes its place. The tab Dismissed lists dismissed pairs with the user who dismissed them; there you can suggest a pair again. You can still map a dismissed pair by hand.',
      'A translation request for an unmapped value is recorded as a missing mapping, with the number of requests, the time, the requester (a user, or an API key by its name) and the context. A caller can pass a context of up to 200 characters: the parameter context beside the value, or the field “context” in the body. Use it for the name of a process, a job or a screen, never of a person: it is stored and shown to all users who can read the crosswalk.',
      'A mapping is used for translations when both the mapping and the crosswalk are approved. While an approved mapping is being edited, the approved version stays in use until the new version is approved.',
      'A crosswalk has a cardinality. A mapping that breaks it causes a warning and is not rejected. A crosswalk also defines the result for an unmapped value: no value, the source value itself, or a fixed value. The translate API marks such a result as a fallback. A change of this setting is reviewed.',
      'Mappings are exported as CSV, JSON, FHIR R4 ConceptMap or SSSOM, and imported from the same formats. Paste them or drop a file, check the preview of new, changed, unchanged and invalid mappings, and import them as drafts or submit them immediately. The import runs as a job: it continues when you leave the page, reports the reason for each rejected row, can be cancelled, and can be undone as a whole. A crosswalk can be duplicated, or reversed together with all its mappings. Deleted mappings stay under Deleted. A restored mapping becomes a draft.',
      'In the list of crosswalks, select several with X, Space or the checkboxes, or select all that match. You can submit, recall, approve, reject, discard or delete them together. The result is reported for each crosswalk, and the bar at the bottom of the page undoes the action. Approving a crosswalk whose deletion was requested deletes it; the dialog lists these crosswalks. The switch “Deleted” shows deleted crosswalks. Administrators of the source data set can restore one with its mappings; it becomes a draft and is reviewed again.',
    ],
  },
  {
    id: 'approvals',
    title: 'Approvals',
    paragraphs: [
      'A change is a draft until it is submitted, pending until an approver decides, and then approved or rejected. A rejection needs a reason. A rejected change must be edited before it can be submitted again.',
      'Four-eyes principle: a user who wrote, edited, imported or submitted a change cannot approve or reject it. This also applies to administrators.',
      'A bulk decision reports the result for each row: what was done, or why it was rejected. Decisions on more than 10,000 rows run as a job, as do undoing them and deleting or restoring rows of a data set. The progress is shown at the bottom of the page and in the monitor. The monitor lists each failed row with the attempted action, and offers the list as a file.',
      'The dashboard groups the pending changes by collection, batch, submitter or parent. Beside the list it shows the current item, with its changes and the records that depend on it. For a mapping, it shows the translation results after the change, the number of requests for the value, and the crosswalks that continue from its target. It also shows which other approvers have the same batch open, and reports their decisions as they are made. The address contains the item: a link, for example from a notification, opens the same item whatever its status is.',
    ],
  },
  {
    id: 'notifications',
    title: 'Notifications',
    paragraphs: [
      'The bell lists what other users did with your work, with one entry per action: your submitted changes were approved, rejected, revoked or recalled, or a decision was undone, with the user and their comment; your change was edited after a rejection; or your draft beside an approved value was superseded or discarded. It also lists how your jobs ended.',
      'Changes that need your review are listed too, with one entry for the changes that were submitted together and the number that is still pending. The entry is marked as read when none of them is pending any more, whoever decided. You receive no notifications about your own actions, except for jobs, or about data that you can no longer read.',
      'Each entry opens the item, or the list of items that it is about. J and K or the arrow keys move, Enter opens, U marks as read or unread, E or Delete dismisses. The newest 500 entries are stored for you and available on every device. Messages of the current browser tab are shown among them until you close the tab.',
    ],
  },
  {
    id: 'graph',
    title: 'Graph and integrity',
    paragraphs: [
      'The graph of a data set shows its neighbours and the relationships and crosswalks that connect them, fifty at a time; “+N more” shows more. The tables below the picture contain the same information. Graph Visualization shows the public part of the graph to visitors without an account: names and sizes of data sets, and how many relationship values and mappings are approved between two of them.',
      'Before a schema change is saved, you see how many rows it affects. Stored values are not converted: a value that does not match the new type of its field is read as empty until it is entered again. Renaming a field changes no row.',
      'The badge Broken counts such values, mappings whose source or target value exists in no row any more, and relationships whose rows were deleted. It opens the list of them. They are also marked in the rows of the data set, in the list of mappings and in the comparison.',
      'Deleted, in the header of a data set, lists its deleted rows as they were before the deletion, with the user and the time. Users with WRITE can restore them there, one by one or all that match, and also from a link to a deleted row.',
    ],
  },
  {
    id: 'monitor',
    title: 'Monitor',
    paragraphs: [
      'The monitor shows jobs with their progress, rate and remaining time, and the system: throughput, the lag of each projection and the connected clients. You see the jobs of the data sets that you can read.',
      'The details of a job show its result and list each failed row. You can undo its changes to mappings or relationship values there, except for records that were edited since.',
    ],
  },
  {
    id: 'diagnostics',
    title: 'Diagnostics',
    paragraphs: [
      'The page /diagnostics, in the command palette, shows whether each part of the product is healthy, the maximum length of your session, information about your browser, and your failed requests and jobs of the last 7 days. Administrators also see versions, migrations, disk space, the event store, the read models and the errors of all services. “Not known” means that the services cannot measure this value where they run.',
      'Each error has a correlation id. Send it to your administrator, who can find the changes of the same request in the audit log: from the menu of the row, or by clicking the id. Errors contain no names, values or addresses.',
      '“Copy report” copies the report as text or as JSON, for example for your support team. A report contains no passwords and no secrets of the installation. “Refresh” loads the page again, and so does returning to its window.',
    ],
  },
  {
    id: 'lists',
    title: 'Lists',
    paragraphs: [
      'Every list can be searched, filtered, sorted and paged. The address contains these settings, so a link shows the same view. The buttons at the right of a list choose the columns and the row height and export the list. Columns are as wide as their content. To change a width, drag the edge of a header, or press Shift and the arrow keys on it; double-click the edge to reset it. On a touch screen, tap a row to open it.',
      '“Saved”, beside the filter, stores the filter, search, sorting and columns of a list under a name. A shared filter is offered to all users who can read the list; only you can change it. It keeps working when a field of a data set is renamed.',
      'Filter conditions are combined by AND or OR and can be grouped. For “Is one of”, press Enter after each value, or paste a column. Times are entered and shown in your own time zone. Regular expressions use the PostgreSQL syntax; one that takes too long is cancelled. On the filter testing page, administrators define the fields and operators that a list can be filtered by, test a filter, and see its duration and the cost of its query plan.',
      'When another user changes a row, the row flashes and shows the name of the user. Rows do not move under the pointer: new rows are announced in a bar and are shown when you click it.',
      'If you and another user edit the same record, your edit is never lost. Changes to different fields are merged. For a change to the same field, you choose which value to keep.',
    ],
  },
  {
    id: 'past',
    title: 'Viewing past data',
    paragraphs: [
      'The clock in the header shows a page as it was at a time that you choose, in your own time zone. It is available for types, data sets and their rows, collections, crosswalks, mappings, comparisons, relationships and their values, the graph, and every export. Search, filters and sorting work as usual, and links keep the chosen time until you click “Back to now”. Past data is read-only. Approvals, the monitor, statistics, suggestions and data integrity show current data only.',
      'The bar at the top shows the chosen time and the position in the event log. “Copy link” copies a link to the page at that position. The link shows the same data whenever it is opened, and an export from it is identical to the last byte. In a history, “Page as of then” opens the page as it was after that change.',
      'Current permissions determine which past data you can see. If you have access now, you also see the data from before you received it. If you lose access, you can no longer see the past data either. Files exported from the past contain user ids instead of names, so that they do not change when a name does.',
    ],
  },
  {
    id: 'shortcuts',
    title: 'Keyboard',
    paragraphs: [
      'Ctrl+K opens search and commands, Ctrl+B collapses the sidebar, and ? lists all shortcuts. In lists, J and K or the arrow keys move, Enter opens, X or Space selects, Shift extends the selection, / searches, and Shift+F10 opens the menu of a row. S submits the current draft immediately; Shift+S asks for a comment to the approver first. A and Shift+A approve in the same way.',
      'You can turn off single-key shortcuts in the list that ? opens.',
    ],
  },
  {
    id: 'errors',
    title: 'Error messages',
    paragraphs: [
      "“You don't have permission to perform this action”: your level on the data set, or your role, does not allow the action. “You don't have APPROVER permission for this collection”: approving and rejecting require the level APPROVER.",
      '“Submitted changes must be reviewed by a different user”: you took part in the change, so another user has to decide.',
      '“Session expired or authentication required”: sign in again. You return to the page that you were on.',
      '“Saved, syncing…” in the header: your change is saved, and the lists will show it in a moment.',
    ],
  },
];
