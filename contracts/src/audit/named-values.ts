/** Converts events and states to values by path, and finds the ids of entities among them, so that Replay shows names. */

export type FlatState = Readonly<Record<string, string>>;

/** `{ a: { b: [1] } }` becomes `a.b[0] = 1`; empty values (null, an empty text, list or object) are omitted. */
export function flatten(value: unknown): FlatState {
  const flat: Record<string, string> = {};
  const walk = (part: unknown, path: string): void => {
    if (part === null || part === undefined || part === '') return;
    if (Array.isArray(part)) {
      for (const [index, each] of part.entries()) walk(each, `${path}[${index}]`);
    } else if (typeof part === 'object') {
      for (const [name, each] of Object.entries(part)) walk(each, path === '' ? name : `${path}.${name}`);
    } else {
      flat[path] = String(part);
    }
  };
  walk(withNamedCells(value), '');
  return flat;
}

/** Converts the rows `[id, …cells]` of an import to rows with values by field id, as in other events. */
function withNamedCells(data: unknown): unknown {
  const { fieldIds, rows } = (data ?? {}) as { fieldIds?: unknown; rows?: unknown };
  if (!Array.isArray(fieldIds) || !Array.isArray(rows)) return data;
  const named = rows.map(([id, ...cells]) => ({
    id,
    values: Object.fromEntries(fieldIds.map((fieldId, index) => [fieldId, cells[index]])),
  }));
  return { ...(data as object), rows: named };
}

const user = 'user';
const dataSet = 'dataSet';
/**
 * The kind of entity that a property names by id. `sourceField` is a field, and `sourceRow` a row,
 * of a definition's source data set.
 */
const KINDS: Readonly<Record<string, string>> = {
  typeId: 'referenceType',
  ...{ dataSetId: dataSet, sourceSystemId: dataSet, targetSystemId: dataSet },
  ...{ sourceDataSetId: dataSet, targetDataSetId: dataSet, 'dataSetIds[]': dataSet, 'keyOf[]': dataSet },
  ...{ crosswalkId: 'crosswalk', 'crosswalkIds[]': 'crosswalk' },
  ...{ relationshipId: 'relationship', 'relationshipIds[]': 'relationship' },
  ...{ collectionId: 'collection', groupId: 'group', roleId: 'role', apiKeyId: 'apiKey' },
  ...{ jobId: 'importJob', exclusiveJobId: 'importJob', undoneJobId: 'importJob' },
  ...{ userId: user, ownerId: user, createdBy: user, changedBy: user, startedBy: user, submittedBy: user },
  ...{ approvedBy: user, rejectedBy: user, 'authors[]': user, 'members[]': user, 'added[]': user, 'removed[]': user },
  ...{ fieldId: 'field', 'fieldIds[]': 'field', 'keyFieldIds[]': 'field', labelFieldId: 'field' },
  ...{ sourceFieldId: 'sourceField', sourceLabelFieldId: 'sourceField', sourceInstanceId: 'sourceRow' },
  ...{ targetFieldId: 'targetField', targetLabelFieldId: 'targetField', targetInstanceId: 'targetRow' },
  attributeId: 'attribute',
  replaces: 'row',
};

/** Returns the words for a property: “label field” for `labelFieldId`, and “pages” for the routes of a role. */
export const propertyWords = (property: string): string =>
  property === 'routes'
    ? 'pages'
    : property
        .replace(/Id(s?)$/, '$1')
        .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

/** Returns the entity that the value at a path names, such as `dataSet:5` or `field:2`; undefined for other values. */
export function namedAt(flat: FlatState, path: string): string | undefined {
  const value = flat[path] ?? '';
  const [, parent = '', name = '', index = ''] = /^(.*?)([^.[\]]+)(\[\d+\])?$/.exec(path) ?? [];
  // Names below `columns` are columns of a file, even if one equals a name in `KINDS`.
  if (/\bcolumns\.$/.test(parent)) return undefined;
  if (name === 'referencedBy') return value;
  const siblingKind =
    name === 'entityId' ? flat[`${parent}entityType`] : name === 'id' ? flat[`${parent}kind`] : undefined;
  const kind = siblingKind ?? KINDS[index === '' ? name : `${name}[]`];
  return kind === undefined || !/^\d+$/.test(value) ? undefined : `${kind}:${value}`;
}

/** Returns the entity that the end of a path names, such as `field:1` for `values.1`; undefined for other paths. */
export function namedByPath(path: string): string | undefined {
  const [, property = '', id = ''] = /\b(values|attributes|grants)\.([\w:]+)$/.exec(path) ?? [];
  if (property === 'grants') return id;
  return property === '' ? undefined : `${property === 'values' ? 'field' : 'attribute'}:${id}`;
}
