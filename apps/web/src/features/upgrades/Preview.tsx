// The preview beside the form of an upgrade task.
import { useQuery } from '@tanstack/react-query'
import type { InputFor } from '@voltkeep/contract/endpoint'
import { previewUpgradeTask, type UpgradePreview } from '@voltkeep/contract/upgrades'
import { useEffect } from 'react'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { reading } from '../../lib/wire/reading.ts'
import styles from './upgrades.module.css'
import { upgradeTexts } from './upgrades.texts.ts'
import { planLine } from './upgrades.words.ts'

const words = upgradeTexts.preview
/** Versions listed; the rest is counted together. */
const mostVersions = 3

/** What the task would do now: devices, stages, devices left out and why, bytes to transfer. */
export function Preview({
  asked,
  onPreview,
}: {
  asked: InputFor<typeof previewUpgradeTask>
  /** Called with undefined while the preview of the present input is not known. */
  onPreview: (preview: UpgradePreview | undefined) => void
}) {
  const { debounced, isCurrent } = useDebounced(asked)
  const query = useQuery({
    ...reading(previewUpgradeTask, debounced),
    placeholderData: (previous: UpgradePreview | undefined) => previous,
    retry: false,
    // The error is shown in place of the figures.
    meta: { isQuiet: true },
  })
  const isOld = query.isPlaceholderData || !isCurrent
  const known = isOld ? undefined : query.data
  useEffect(() => onPreview(known), [known, onPreview])

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
      <p className={styles.plan}>{planLine(preview)}</p>
      {preview.devices > 0 && (
        <p className={styles.quiet}>
          {[
            ...(preview.stages.length > 1
              ? [words.stages(preview.stages.map(({ devices }) => formatCount(devices)))]
              : []),
            ...(preview.offline > 0 ? [words.offline(formatCount(preview.offline))] : []),
            words.bytes(formatBytes(preview.totalBytes)),
          ].join('；')}
        </p>
      )}
      <ul className={styles.previewParts}>
        {preview.parts.map((part) => (
          <PreviewPart key={part.softwareVersionId} of={part} />
        ))}
      </ul>
    </div>
  )
}

function PreviewPart({ of: part }: { of: UpgradePreview['parts'][number] }) {
  const skipped = part.skipped.filter(({ devices }) => devices > 0)
  const skippedCount = skipped.reduce((sum, { devices }) => sum + devices, 0)
  const others = part.from.slice(mostVersions).reduce((sum, { devices }) => sum + devices, 0)
  const from = [
    ...part.from.slice(0, mostVersions).map(({ version, devices }) => `${version} ×${formatCount(devices)}`),
    ...(others > 0 ? [`${words.more} ×${formatCount(others)}`] : []),
  ]
  return (
    <li>
      <span>{words.part(part.partTypeName, part.version, formatCount(part.devices))}</span>
      {from.length > 0 && <span className={styles.quiet}>{words.from(from.join('，'))}</span>}
      {skippedCount > 0 && (
        <span className={styles.leftOut}>
          {`${words.skipped(formatCount(skippedCount))}：${skipped
            .map(
              ({ reason, note, devices }) => `${note ?? upgradeTexts.skips[reason]} ${formatCount(devices)}`,
            )
            .join('，')}`}
        </span>
      )}
    </li>
  )
}
