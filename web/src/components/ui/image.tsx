/** An image, or a message in its place if the image cannot be loaded (specification §8). */
import { type ComponentProps, useState } from 'react';
import { cn } from './cn.ts';

export function Image({ alt, className, ...rest }: ComponentProps<'img'> & { alt: string }) {
  const [isFailed, setFailed] = useState(false);
  if (isFailed)
    return (
      <span className={cn('block rounded-md border border-hairline bg-hover px-3 py-2 text-muted text-sm', className)}>
        Failed to load image{alt === '' ? '' : `: ${alt}`}
      </span>
    );
  return <img alt={alt} loading="lazy" className={className} onError={() => setFailed(true)} {...rest} />;
}
