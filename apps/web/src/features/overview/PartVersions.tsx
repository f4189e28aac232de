import type { PartSpread } from '@voltkeep/contract/overview'
import { formatCount } from '../../lib/format.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { versionPage } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts as words } from './overview.texts.ts'
import { Section } from './Section.tsx'

/** The number of devices per version, part by part. The newest version comes first and is darkest in the bar. */
export function PartVersions({ parts }: { parts: readonly PartSpread[] }) {
  return (
    <Section title={words.parts}>
      {parts.length === 0 && <p className={styles.none}>{words.noParts}</p>}
      <ul className={styles.parts}>
        {parts.map((part) => (
          <li key={part.partType}>
            <PageLink page={versionPage} search={{ partType: part.partType }} className={styles.partName}>
              {part.partTypeName}
            </PageLink>
            <span className={styles.spread} aria-hidden="true">
              {part.versions.map(({ version, count }, at) => (
                <span key={version} data-shade={at} style={{ flexGrow: count }} />
              ))}
              {part.otherCount > 0 && <span style={{ flexGrow: part.otherCount }} />}
            </span>
            <span className={styles.versions}>
              {part.versions.map(({ version, count }, at) => (
                <PageLink
                  key={version}
                  page={versionPage}
                  search={{ partType: part.partType, version }}
                  className={styles.version}
                >
                  <span className={styles.shade} data-shade={at} aria-hidden="true" />
                  <span className="mono">{version}</span> {formatCount(count)}
                </PageLink>
              ))}
              {part.otherVersions > 0 && (
                <span className={styles.quiet}>
                  {words.others(part.otherVersions)} {formatCount(part.otherCount)}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
