/** Creates a crosswalk and opens its mappings. */
import type { DefineCrosswalk } from '@rdm/contracts/crosswalks/crosswalks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { showProblem } from '../../../components/definitions/form.tsx';
import { DefinitionFormGuard } from '../../../components/end-picker/join-permission.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { crosswalksKey, defineCrosswalk } from '../api/crosswalks.ts';
import { CrosswalkForm, NEW_CROSSWALK } from '../components/definition/CrosswalkForm.tsx';

export default function CreateCrosswalk() {
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function save(crosswalk: DefineCrosswalk) {
    try {
      const { id } = await defineCrosswalk(crosswalk);
      notify.success('Crosswalk created', { description: crosswalk.name, href: `/crosswalks/${id}/mappings` });
      void queries.invalidateQueries({ queryKey: crosswalksKey });
      void navigate(`/crosswalks/${id}/mappings?tab=suggested`, { replace: true, state: SAVED });
      return undefined;
    } catch (error) {
      return showProblem('crosswalk', error);
    }
  }

  return (
    <div>
      <PageHeader
        title="Create a crosswalk"
        description="The crosswalk begins as a draft, and translates nothing until it is approved."
      />
      <DefinitionFormGuard plural="crosswalks" list="/crosswalks">
        <CrosswalkForm initial={NEW_CROSSWALK} save="Create crosswalk" back="/crosswalks" onSave={save} />
      </DefinitionFormGuard>
    </div>
  );
}
