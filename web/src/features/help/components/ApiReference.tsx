/** The API reference: the operations of the OpenAPI document by group, with inputs, responses, errors and an example. */
import { useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { copyText } from '../../../components/copy-text/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import {
  type ApiDocument,
  apiDocumentQuery,
  callersOf,
  commandsOf,
  type Operation,
  objectIn,
  operationsOf,
  parameterOf,
  responseOf,
  type Schema,
  schemaOf,
  typeWords,
} from '../api/api-document.ts';
import { breakableCode } from './breakable-code.tsx';

/** Nested objects below this depth are shown without their properties. */
const NESTING_MAX = 4;

const PARAMETER_LOCATIONS: Record<string, string> = {
  path: 'in the path',
  query: 'in the query',
  header: 'as a header',
};

export function ApiReference() {
  const { data: document, error } = useQuery(apiDocumentQuery);
  const [text, setText] = useState('');
  if (error) return <p role="alert">The API reference could not be loaded. Reload the page.</p>;
  if (!document) return <Skeleton className="h-40 w-full" />;
  const operations = operationsOf(document).filter((operation) => hasWords(operation, text));
  const groups = document.tags.flatMap(({ name }) => {
    const groupOperations = operations.filter(({ tags }) => tags.includes(name));
    return groupOperations.length === 0 ? [] : [{ name, groupOperations }];
  });
  return (
    <>
      <Input
        type="search"
        aria-label="Search operations"
        placeholder="Search operations, such as translate"
        className="mb-4 w-full max-w-md"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {groups.length === 0 && <p role="status">No operation contains these words.</p>}
      {groups.map(({ name, groupOperations }) => (
        <section key={name} aria-label={name} className="mb-5">
          <h3 className="mb-1 font-semibold text-base">{name}</h3>
          <div className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
            {groupOperations.map((operation) => (
              <OperationEntry key={operation.operationId} document={document} operation={operation} />
            ))}
          </div>
        </section>
      ))}
    </>
  );
}

/** Whether the method, path and summary together contain all words of a text. */
function hasWords({ summary, method, path }: Operation, text: string): boolean {
  const searchableText = `${method} ${path} ${summary}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchableText.includes(word));
}

function OperationEntry({ document, operation }: { document: ApiDocument; operation: Operation }) {
  const { hash } = useLocation();
  const isLinkTarget = hash === `#${operation.operationId}`;
  const [isOpen, setOpen] = useState(isLinkTarget);
  useEffect(() => {
    if (!isLinkTarget) return;
    setOpen(true);
    window.document.getElementById(operation.operationId)?.scrollIntoView();
  }, [isLinkTarget, operation.operationId]);
  return (
    <details
      id={operation.operationId}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="scroll-mt-4 px-3 py-2"
    >
      <summary className="cursor-pointer">
        <span className="font-medium">{operation.summary}</span>
        <span className="mt-0.5 flex flex-wrap items-center gap-x-2">
          <code className="wrap-break-word min-w-0 font-mono text-muted text-xs">
            {operation.method} {breakableCode(operation.path)}
          </code>
          <Badge tone="outline">{callersOf(operation)}</Badge>
        </span>
      </summary>
      {isOpen && <OperationDetails document={document} operation={operation} />}
    </details>
  );
}

function OperationDetails({ document, operation }: { document: ApiDocument; operation: Operation }) {
  const parameters = operation.parameters.map((each) => parameterOf(document, each));
  const responses = Object.entries(operation.responses).map(
    ([status, each]) => [status, responseOf(document, each)] as const,
  );
  return (
    <div className="mt-2 flex flex-col gap-3">
      {parameters.length > 0 && (
        <TitledSection title="Parameters">
          <ul>
            {parameters.map(({ name, required, description, schema, in: location }) => (
              <PropertyLine
                key={`${location} ${name}`}
                name={name}
                words={`${typeWords(document, schema)}, ${PARAMETER_LOCATIONS[location] ?? location}`}
                isRequired={required === true}
                description={description ?? schema.description}
              />
            ))}
          </ul>
        </TitledSection>
      )}
      {Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => (
        <TitledSection key={type} title={`Body: ${type}`}>
          <SchemaBody document={document} schema={schema} />
        </TitledSection>
      ))}
      {responses
        .filter(([status]) => Number(status) < 400)
        .map(([status, { description, content }]) => (
          <TitledSection key={status} title={`${status} ${description}`}>
            {Object.entries(content ?? {}).map(([type, { schema }]) =>
              schema === undefined ? (
                <p key={type}>A file or stream: {type}</p>
              ) : (
                <SchemaBody key={type} document={document} schema={schema} />
              ),
            )}
          </TitledSection>
        ))}
      <TitledSection title="Errors">
        <ul>
          {responses
            .filter(([status]) => Number(status) >= 400)
            .map(([status, { description }]) => (
              <li key={status} className="wrap-anywhere">
                <span className="font-semibold">{status}</span> <TextWithCode text={description} />
              </li>
            ))}
        </ul>
      </TitledSection>
      {commandsOf(operation, window.location.origin).map(({ label, source }, index) => (
        <Example
          key={label}
          title={index === 0 ? 'Example' : `Example: ${label}`}
          note={operation.description}
          command={source}
        />
      ))}
    </div>
  );
}

function Example({ title, note, command }: { title: string; note: string | undefined; command: string }) {
  const copy = () =>
    copyText(command, 'Copied', (error) => notify.error(messageOf(error), { title: 'The example was not copied' }));
  return (
    <TitledSection title={title}>
      {note !== undefined && <p className="mb-1">{note.replaceAll('`', '')}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls needs the focus (axe: scrollable-region-focusable) */}
      <section className="overflow-x-auto" aria-label={title} tabIndex={0}>
        <pre className="w-fit min-w-full rounded-md border border-hairline bg-canvas p-3 font-mono text-xs">
          {command}
        </pre>
      </section>
      <Button className="mt-2" onClick={() => void copy()}>
        <Copy />
        Copy as curl
      </Button>
    </TitledSection>
  );
}

function TitledSection({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h4 className="mb-1 font-semibold">{title}</h4>
      {children}
    </section>
  );
}

function SchemaBody({ document, schema }: { document: ApiDocument; schema: Schema | undefined }) {
  if (schema === undefined) return null;
  const object = objectIn(document, schema);
  const resolved = schemaOf(document, schema);
  const isList = resolved.items !== undefined;
  if (object === undefined) return <p>{typeWords(document, schema)}</p>;
  return (
    <>
      {isList && <p className="text-muted">A list; each entry:</p>}
      {!isList && (resolved.anyOf ?? resolved.oneOf) !== undefined && (
        <p className="text-muted">One of several forms:</p>
      )}
      <Properties document={document} schema={object} depth={0} />
    </>
  );
}

function Properties({ document, schema, depth }: { document: ApiDocument; schema: Schema; depth: number }) {
  return (
    <ul className={depth === 0 ? '' : 'ml-2 border-hairline border-l pl-3'}>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const nested = depth < NESTING_MAX ? objectIn(document, property) : undefined;
        return (
          <PropertyLine
            key={name}
            name={name}
            words={typeWords(document, property)}
            isRequired={schema.required?.includes(name) === true}
            description={property.description}
          >
            {nested !== undefined && <Properties document={document} schema={nested} depth={depth + 1} />}
          </PropertyLine>
        );
      })}
    </ul>
  );
}

/** Renders a description of the document. Text between backticks is code. */
function TextWithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={`${index} ${part}`} className="wrap-break-word font-mono text-xs">
        {breakableCode(part)}
      </code>
    ),
  );
}

interface PropertyLineProps {
  name: string;
  words: string;
  isRequired: boolean;
  description: string | undefined;
  children?: React.ReactNode;
}

function PropertyLine({ name, words, isRequired, description, children }: PropertyLineProps) {
  return (
    <li className="wrap-anywhere py-0.5">
      <code className="font-mono text-xs">{name}</code>{' '}
      <span className="text-muted text-xs">
        {words}
        {isRequired ? '' : ', optional'}
      </span>
      {description !== undefined && (
        <span className="block max-w-prose text-muted">
          <TextWithCode text={description} />
        </span>
      )}
      {children}
    </li>
  );
}
