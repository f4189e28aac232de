import type { PartVersion } from '@voltkeep/contract/deviceVersions'
import { foldParts } from '@voltkeep/contract/versionFolding'
import { formatCount } from '../../lib/format.ts'
import styles from './deviceVersions.module.css'
import { deviceVersionTexts } from './deviceVersions.texts.ts'

/** The versions of a device in one line: `主控 1.4  仓控 2.0 ×9，1.0 ×3`. */
export function VersionSummary({ parts }: { parts: readonly PartVersion[] }) {
  if (parts.length === 0) return <span className={styles.quiet}>{deviceVersionTexts.none}</span>
  const kinds = foldParts(parts)
  const words = kinds.map(
    (kind) =>
      `${kind.partTypeName} ${kind.versions.map((one) => (kind.count > 1 ? `${one.version} ${deviceVersionTexts.times(formatCount(one.count))}` : one.version)).join('，')}`,
  )
  return (
    <span className={styles.summary} title={words.join('\n')}>
      {kinds.map(({ partType, partTypeName, versions, count }) => (
        <span key={partType} className={styles.kind}>
          <span className={styles.quiet}>{partTypeName}</span> <Versions versions={versions} count={count} />
        </span>
      ))}
    </span>
  )
}

/** Versions of one kind of part: `2.0 ×9，1.0 ×3`. */
export function Versions({
  versions,
  count,
}: {
  versions: readonly { version: string; count: number }[]
  /** The number of parts of this type; a count is shown only if there is more than one. */
  count: number
}) {
  return versions.map(({ version, count: same }, at) => (
    <span key={version}>
      {at > 0 && '，'}
      <span className="mono">{version}</span>
      {count > 1 && ` ${deviceVersionTexts.times(formatCount(same))}`}
    </span>
  ))
}
