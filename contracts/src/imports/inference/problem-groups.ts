/** Messages and fixes of groups of problems. */
import type { DataType } from '../../text/rows.ts';
import type { ColumnFormat } from '../column-formats.ts';
import type { ColumnProfile } from '../file-profile.ts';
import type { Fix, ProblemGroup, ProblemRule } from '../problems.ts';
import { BOOLEAN_PAIRS } from './column-statistics.ts';
import { readCellValue } from './read-cell-value.ts';
