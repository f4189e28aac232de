import { Button } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../lib/texts/index.ts'
import type { CallError } from '../lib/wire/call.ts'
import { DetailPanel } from './DetailPanel.tsx'
import { EmptyState } from './EmptyState.tsx'

/** In place of a detail panel while its row is loading, failed to load or does not exist. */
export function UnreadPanel({
  title,
  notFound,
  query: { error, refetch },
  onClose,
}: {
  title: ReactNode
  /** The text where the address names a row that does not exist. */
  notFound: string
  query: { error: CallError | null; refetch: () => unknown }
  onClose: () => void
}) {
  return (
    <DetailPanel title={title} onClose={onClose}>
      {error?.code === 404 && <EmptyState title={notFound} />}
      {error && error.code !== 404 && (
        <EmptyState
          title={texts.list.failed}
          hint={error.message}
          action={<Button onClick={() => void refetch()}>{texts.list.retry}</Button>}
        />
      )}
    </DetailPanel>
  )
}
