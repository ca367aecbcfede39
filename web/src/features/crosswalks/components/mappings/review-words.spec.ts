/** Tests the words of a submission of mappings. */
import { expect, it } from 'vitest';
import { mappingWords } from './review-words.ts';

const consequence = (isServed: boolean, approvalStatus: 'DRAFT' | 'PENDING' | 'APPROVED') =>
  mappingWords({ isServed, approvalStatus }).submit.consequence;

it('the first submission of mappings says that it submits the crosswalk too', () => {
  expect(consequence(false, 'DRAFT')).toMatch(/^The crosswalk itself is submitted with them\. An approver decides\./);
  for (const further of [consequence(false, 'PENDING'), consequence(true, 'APPROVED'), consequence(true, 'DRAFT')])
    expect(further).toMatch(/^An approver decides\./);
});
