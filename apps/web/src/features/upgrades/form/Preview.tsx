// The preview beside the form of an upgrade task.
import { exportLeftOutOfUpgrade, previewUpgradeTask, type UpgradePreview } from '@voltkeep/contract/upgrades'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import { LeftOutFile } from '../../../ui/work/LeftOutFile.tsx'
import { leftOutLine } from '../../../ui/work/leftOut.ts'
import { WorkPreview, type WorkPreviewProps } from '../../../ui/work/WorkPreview.tsx'
import styles from '../upgrades.module.css'
import { upgradeTexts } from '../upgrades.texts.ts'
import { planLine } from '../upgrades.words.ts'

const words = upgradeTexts.preview
/** Versions listed; the rest is counted together. */
const mostVersions = 3

/** What the task would do now: devices, stages, devices left out and why, bytes to transfer. */
export function Preview({
  asked,
  onPreview,
}: Pick<WorkPreviewProps<typeof previewUpgradeTask>, 'asked' | 'onPreview'>) {
  return (
    <WorkPreview endpoint={previewUpgradeTask} asked={asked} onPreview={onPreview}>
      {(preview) => (
        <>
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
          {preview.oneWay > 0 && (
            <p className={styles.leftOut}>{words.oneWay(formatCount(preview.oneWay))}</p>
          )}
          <ul className={styles.previewParts}>
            {preview.parts.map((part) => (
              <PreviewPart key={part.softwareVersionId} of={part} />
            ))}
          </ul>
          {preview.otherType > 0 && (
            <p className={styles.leftOut}>{words.otherType(formatCount(preview.otherType))}</p>
          )}
          {(preview.otherType > 0 || preview.parts.some(({ skipped }) => skipped.length > 0)) && (
            <LeftOutFile endpoint={exportLeftOutOfUpgrade} asked={asked} />
          )}
        </>
      )}
    </WorkPreview>
  )
}

function PreviewPart({ of: part }: { of: UpgradePreview['parts'][number] }) {
  const skipped = leftOutLine(
    part.skipped,
    words.skipped,
    ({ reason, note }) => note ?? upgradeTexts.skips[reason],
  )
  const others = part.from.slice(mostVersions).reduce((sum, { devices }) => sum + devices, 0)
  const from = [
    ...part.from.slice(0, mostVersions).map(({ version, devices }) => `${version} ×${formatCount(devices)}`),
    ...(others > 0 ? [`${words.more} ×${formatCount(others)}`] : []),
  ]
  return (
    <li>
      <span>{words.part(part.partTypeName, part.version, formatCount(part.devices))}</span>
      {from.length > 0 && <span className={styles.quiet}>{words.from(from.join('，'))}</span>}
      {skipped && <span className={styles.leftOut}>{skipped}</span>}
    </li>
  )
}
