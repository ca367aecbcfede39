/** The form of an attribute definition: its initial values and its validation. */
import { DefineAttribute } from '@rdm/contracts/relationships/relationships';
import { z } from 'zod';
import type { AttributeEdit } from '../api/relationships.ts';

export const NEW_ATTRIBUTE: AttributeEdit = { name: '', dataType: 'string', isRequired: false, description: '' };

const foldCase = (name: string) => name.normalize('NFKC').toLowerCase();

/** The schema of one attribute, which requires a name that no other attribute has. */
export const attributeForm = (otherNames: readonly string[]) =>
  DefineAttribute.extend({ isRequired: z.boolean(), description: z.string().trim().max(4_000) }).refine(
    ({ name }) => !otherNames.some((other) => foldCase(other) === foldCase(name)),
    { error: 'Another attribute has this name', path: ['name'] },
  );
