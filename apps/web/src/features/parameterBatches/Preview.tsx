import { useQuery } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { type ParameterBatchPreview, previewParameterBatch } from '@voltkeep/contract/parameterBatches'
import { useEffect } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { reading } from '../../lib/wire/reading.ts'
import { PreviewFigures } from './PreviewFigures.tsx'
import styles from './parameterBatches.module.css'
import { batchTexts } from './parameterBatches.texts.ts'

const words = batchTexts.preview

export interface PreviewProps {
  asked: InputFor<typeof previewParameterBatch>
  /** Called with undefined while the preview of the present input is not known. */
  onPreview: (preview: ParameterBatchPreview | undefined) => void
}

/** What the batch would do now: how many devices, which values change, which devices are left out and why. */
export function Preview({ asked, onPreview }: PreviewProps) {
  const { debounced, isCurrent } = useDebounced(asked)
  const query = useQuery({
    ...reading(previewParameterBatch, debounced),
    placeholderData: (previous: ParameterBatchPreview | undefined) => previous,
    retry: false,
    // The error is shown in place of the figures.
    meta: { isQuiet: true },
  })
  const isOld = query.isPlaceholderData || !isCurrent
  const known = isOld ? undefined : query.data
  useEffect(() => onPreview(known), [known, onPreview])
  // Without a visible preview there is nothing to confirm.
  useEffect(() => () => onPreview(undefined), [onPreview])

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
  const preview = query.data
  if (!preview) return <p className={styles.quiet}>{words.counting}</p>
  return (
    <div className={styles.preview} data-old={isOld || undefined} aria-live="polite" aria-busy={isOld}>
      <PreviewFigures preview={preview} />
    </div>
  )
}
