import { useQuery } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { type ReactNode, useEffect } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import type { AnswerFor, AnyEndpoint } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import styles from './WorkPreview.module.css'
import { workTexts } from './work.texts.ts'

export interface WorkPreviewProps<E extends AnyEndpoint> {
  endpoint: E
  asked: InputFor<E>
  /** Called with undefined while the preview of the present input is not known. */
  onPreview: (preview: AnswerFor<E> | undefined) => void
  children: (preview: AnswerFor<E>) => ReactNode
}

/** What the work of a form would do now. The former figures stay, dimmed, while others are computed. */
export function WorkPreview<E extends AnyEndpoint>({
  endpoint,
  asked,
  onPreview,
  children,
}: WorkPreviewProps<E>) {
  const { debounced, isCurrent } = useDebounced(asked)
  const query = useQuery({
    ...reading(endpoint, debounced),
    placeholderData: ((previous: AnswerFor<E> | undefined) => previous) as never,
    retry: false,
    // The error is shown in place of the figures.
    meta: { isQuiet: true },
  })
  const isOld = query.isPlaceholderData || !isCurrent
  const known = isOld ? undefined : query.data
  useEffect(() => {
    onPreview(known)
    // Without a visible preview there is nothing to confirm.
    return () => onPreview(undefined)
  }, [known, onPreview])

  if (query.error) {
    return (
      <p className={styles.failed} role="alert">
        {query.error.message}{' '}
        <button type="button" className="link-button" onClick={() => void query.refetch()}>
          {texts.list.retry}
        </button>
      </p>
    )
  }
  if (query.data === undefined) return <p className={styles.counting}>{workTexts.counting}</p>
  return (
    <PreviewBox isOld={isOld} isLive>
      {children(query.data)}
    </PreviewBox>
  )
}

/** The frame of a preview's figures. */
export function PreviewBox({
  isOld = false,
  isLive = false,
  children,
}: {
  isOld?: boolean
  isLive?: boolean
  children: ReactNode
}) {
  return (
    <div
      className={styles.preview}
      data-old={isOld || undefined}
      {...(isLive && { 'aria-live': 'polite', 'aria-busy': isOld })}
    >
      {children}
    </div>
  )
}
