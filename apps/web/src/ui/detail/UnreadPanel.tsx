import { Button, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { EmptyState } from '../EmptyState.tsx'
import { DetailPanel } from './DetailPanel.tsx'

/** In place of a detail panel while its row is loading, failed to load or does not exist. */
export function UnreadPanel({
  title,
  notFound,
  query: { error, isFetching, refetch },
  onClose,
}: {
  title: ReactNode
  /** The text where the address names a row that does not exist. */
  notFound: string
  query: { error: CallError | null; isFetching: boolean; refetch: () => unknown }
  onClose: () => void
}) {
  // A list that is asked for one row answers none.
  const isMissing = error ? error.code === 404 : !isFetching
  return (
    <DetailPanel title={title} onClose={onClose}>
      {isMissing ? (
        <EmptyState title={notFound} />
      ) : error ? (
        <EmptyState
          title={texts.list.failed}
          hint={error.message}
          action={<Button onClick={() => void refetch()}>{texts.list.retry}</Button>}
        />
      ) : (
        <Skeleton active />
      )}
    </DetailPanel>
  )
}
