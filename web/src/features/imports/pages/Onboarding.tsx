/** The onboarding wizard: imports a file into a data set, step by step. */
import { PageHeader } from '../../../components/page/index.tsx';
import { ImportWizard } from '../components/ImportWizard.tsx';

export default function Onboarding() {
  return (
    <div className="flex w-full max-w-5xl flex-1 flex-col">
      <PageHeader
        title="Onboarding Wizard"
        description="Import a file into a data set. You see a preview before anything is written."
      />
      <ImportWizard />
    </div>
  );
}
