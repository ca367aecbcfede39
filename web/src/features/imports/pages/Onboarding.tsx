/** The onboarding wizard: imports a file into a data set, step by step. */
import { PageHeader } from '../../../components/page/index.tsx';
import { ImportWizard } from '../components/ImportWizard.tsx';

export default function Onboarding() {
  return (
    <div className="flex w-full max-w-7xl flex-1 flex-col">
      <PageHeader
        title="Onboarding Wizard"
        description="Start from your file. You see what will happen before anything is written."
      />
      <ImportWizard />
    </div>
  );
}
