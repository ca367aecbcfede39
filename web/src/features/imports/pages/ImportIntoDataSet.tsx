/** The page that imports a file into one data set. */
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link, useParams } from 'react-router-dom';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { dataSetQuery } from '../../../lib/data-sets/index.ts';
import { ImportWizard } from '../components/ImportWizard.tsx';

export default function ImportIntoDataSet() {
  const id = Number(useParams()['id']);
  const { data } = useQuery(dataSetQuery(id));
  return (
    <div className="flex w-full max-w-7xl flex-1 flex-col">
      <PageHeader
        title={data === undefined ? 'Import' : `Import into ${data.name}`}
        description="A preview shows how the file is read before anything is written."
        actions={
          <Button asChild variant="ghost">
            <Link to={`/reference-data/${id}`}>
              <ArrowLeft />
              Back to the rows
            </Link>
          </Button>
        }
      />
      <ImportWizard key={id} dataSetId={id} />
    </div>
  );
}
