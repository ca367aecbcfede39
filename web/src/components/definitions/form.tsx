/** The parts that the forms of crosswalks and relationships share. */
import { Link } from 'react-router-dom';
import { z } from 'zod';
import type { DefinitionName } from '../../lib/definitions/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';

export const ChosenDataSet = z.number({ error: 'Choose a data set' }).int().positive();

/** Reports why the definition was not saved, and returns the problem for the form. */
export function showProblem(name: DefinitionName, error: unknown): { problem: string } {
  const problem = messageOf(error);
  notify.error(problem, { title: `The ${name} was not saved`, shownInPage: true });
  return { problem };
}

export interface SaveButtonsProps {
  /** The label of the button that saves. */
  save: string;
  /** The path that Cancel opens. */
  back: string;
  isSubmitting: boolean;
  className?: string;
}

export function SaveButtons({ save, back, isSubmitting, className }: SaveButtonsProps) {
  return (
    <div className={cn('flex gap-2', className)}>
      <Button variant="primary" type="submit" disabled={isSubmitting} aria-busy={isSubmitting}>
        {isSubmitting ? 'Saving…' : save}
      </Button>
      <Button asChild>
        <Link to={back}>Cancel</Link>
      </Button>
    </div>
  );
}
