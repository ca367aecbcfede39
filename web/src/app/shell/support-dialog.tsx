/** "Get Support": first steps and contact (specification §2). */
import { Button } from '../../components/ui/button.tsx';
import { Dialog } from '../../components/ui/dialog.tsx';
import { useAuthConfig } from '../../lib/auth/config.ts';

const TOPICS = [
  {
    title: 'Getting started',
    text: 'Define a reference data type with its fields, create a data set of this type, and fill it by hand, from a file or by paste.',
  },
  {
    title: 'Key features',
    text: 'Crosswalks map the values of one data set to another. Relationships link rows of data sets. Mappings and relationship values are reviewed by a second person before they are used.',
  },
  {
    title: 'User management',
    text: 'A role determines which pages a user can open. A collection determines which data sets a user can read, change, approve or administer.',
  },
  {
    title: 'Visualization',
    text: 'The graph of a data set shows related and mapped data sets. Tables beside the graph contain the same information.',
  },
] as const;

export function SupportDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { data: config } = useAuthConfig(open);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Help and support"
      description="First steps and contact."
      footer={
        config?.supportEmail ? (
          <Button asChild variant="primary">
            <a href={`mailto:${config.supportEmail}`}>Contact support</a>
          </Button>
        ) : (
          <p className="text-muted">Ask your administrator for help.</p>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {TOPICS.map((topic) => (
          <section key={topic.title}>
            <h3 className="font-semibold">{topic.title}</h3>
            <p className="text-muted">{topic.text}</p>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
