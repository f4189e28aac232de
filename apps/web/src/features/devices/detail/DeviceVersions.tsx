import type { DeviceDetail } from '@voltkeep/contract/devices'
import { formatCount } from '../../../lib/format.ts'
import { CopyText } from '../../../ui/CopyText.tsx'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { foldVersions } from './device.versions.ts'

const { detail, versions: words } = deviceTexts

/** Versions by part type: `仓控 12 个：2.0 ×9，1.0 ×3`; expanded, each part. */
export function Versions({ versions }: { versions: DeviceDetail['equipSoftwareVersions'] }) {
  return (
    <DetailSection
      title={detail.versions}
      aside={versions.length > 0 ? formatCount(versions.length) : undefined}
    >
      {versions.length === 0 && <p className={styles.quiet}>{detail.noVersions}</p>}
      {foldVersions(versions).map(({ partType, name, shares, parts }) => (
        <details key={partType} className={styles.part}>
          <summary>
            <span className={styles.partName}>{words.part(name, parts.length)}</span>
            {shares.map(({ version, count }) => (
              <span key={version} className="mono">
                {parts.length > 1 ? words.share(version, count) : version}
              </span>
            ))}
          </summary>
          <ul>
            {parts.map(({ addrId, version, hwVersion, pcbCode, reportTime }) => (
              <li key={addrId}>
                <span className="mono">{addrId}</span> <CopyText text={version} />
                {hwVersion && ` · ${detail.columns.hardware} ${hwVersion}`}
                {pcbCode && ` · ${detail.columns.board} ${pcbCode}`} ·{' '}
                <RelativeTime time={reportTime} isShort />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </DetailSection>
  )
}
