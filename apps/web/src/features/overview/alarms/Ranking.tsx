// Rankings of operators and regions on the home page, the worst first.
import type { OperatorTroubles, RegionTroubles } from '@voltkeep/contract/overview'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import { alarmPage, devicePage, offlineSearch, shelvedSearch } from '../overview.links.ts'
import styles from '../overview.module.css'
import { overviewTexts } from '../overview.texts.ts'
import { isKnown, onlineRate, urgentDensity } from '../overview.words.ts'
import { Section } from '../Section.tsx'

const words = overviewTexts
const { columns } = words
const shownAtFirst = 10

/** Operators with alarms or offline devices, the worst first. */
export function OperatorRanking({ rows, total }: { rows: readonly OperatorTroubles[]; total: number }) {
  return (
    <Section
      title={words.operators}
      beside={<span className={styles.quiet}>{words.worstFirst}</span>}
      aside={total > rows.length && words.operatorsOf(formatCount(total))}
    >
      {rows.length === 0 ? (
        <p className={styles.none}>{words.noTroubles}</p>
      ) : (
        <Table
          label={words.operators}
          rows={rows.map((row) => ({
            ...row,
            key: row.id,
            search: { organizationId: row.organizationId, operatorId: row.id },
          }))}
        />
      )}
    </Section>
  )
}

/** Regions with devices, the worst first. Regions whose devices never connected are only counted. */
export function RegionRanking({ rows }: { rows: readonly RegionTroubles[] }) {
  const [isWhole, setWhole] = useState(false)
  const known = rows.filter(isKnown)
  const shown = isWhole ? known : known.slice(0, shownAtFirst)
  const unknownCount = rows.length - known.length
  return (
    <Section title={words.regions} beside={<span className={styles.quiet}>{words.worstFirst}</span>}>
      {shown.length > 0 && (
        <Table
          label={words.regions}
          rows={shown.map((row) => ({ ...row, key: row.code, search: { regionCode: row.code } }))}
        />
      )}
      {known.length > shownAtFirst && (
        <button type="button" className={`link-button ${styles.unfold}`} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showFewer : words.showAll(known.length)}
        </button>
      )}
      {unknownCount > 0 && (
        <p className={styles.none}>{words.unknownRegions(formatCount(unknownCount), known.length > 0)}</p>
      )}
    </Section>
  )
}

type Row = Omit<RegionTroubles, 'code'> & { key: string; search: object }

function Table({ label, rows }: { label: string; rows: readonly Row[] }) {
  const hasShelved = rows.some(({ shelvedCount }) => shelvedCount > 0)
  const shown = Object.entries(columns).filter(([key]) => hasShelved || key !== 'shelved')
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {shown.map(([key, title]) => (
            <th
              key={key}
              scope="col"
              data-column={key}
              title={key === 'density' ? words.densityTitle : undefined}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, search, ...counts }) => (
          <tr key={key}>
            <th scope="row" title={name}>
              <PageLink page={devicePage} search={search}>
                {name}
              </PageLink>
            </th>
            <td data-column="rate">{onlineRate(counts)}</td>
            <Count value={counts.offlineCount} page={devicePage} search={{ ...offlineSearch, ...search }} />
            <Count
              value={counts.criticalCount}
              level={1}
              page={alarmPage}
              search={{ alarmLevel: 1, ...search }}
            />
            <Count
              value={counts.majorCount}
              level={2}
              page={alarmPage}
              search={{ alarmLevel: 2, ...search }}
            />
            <td data-column="density">{urgentDensity(counts)}</td>
            <Count value={counts.alarmCount} column="alarms" page={alarmPage} search={search} />
            {hasShelved && (
              <Count
                value={counts.shelvedCount}
                column="shelved"
                page={alarmPage}
                search={{ ...shelvedSearch, ...search }}
              />
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface CountProps {
  value: number
  level?: number
  column?: string
  page: string
  search: object
}

function Count({ value, level, column, page, search }: CountProps) {
  return (
    <td data-level={value > 0 ? level : undefined} data-column={column}>
      {value === 0 ? (
        <span className={styles.quiet}>0</span>
      ) : (
        <PageLink page={page} search={search}>
          {formatCount(value)}
        </PageLink>
      )}
    </td>
  )
}
