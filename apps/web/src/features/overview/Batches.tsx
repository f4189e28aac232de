import { useQuery } from '@tanstack/react-query'
import { listParameterBatches, liveParameterBatches } from '@voltkeep/contract/parameterBatches'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { reading } from '../../lib/wire/reading.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { batchPage } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts as words } from './overview.texts.ts'
import { Progress } from './Progress.tsx'
import { Section } from './Section.tsx'

const running = { state: 'running' as const }
const shownCount = 5

/** Batch settings under way. */
export function Batches() {
  const isSeen = useCurrentUser().functionCodes.includes(listParameterBatches.access)
  return isSeen ? <Running /> : null
}

function Running() {
  const { data, isPending, refetch } = useQuery(
    reading(listParameterBatches, { ...running, pageNum: 1, pageSize: shownCount }),
  )
  useLiveReading(refetch, (event) => event.type !== 'ready' && concerns(event, liveParameterBatches.noun))
  const { rows = [], total = 0 } = data ?? {}
  return (
    <Section
      title={words.batches}
      aside={
        total > 0 && (
          <PageLink page={batchPage} search={running}>
            {words.all} {total}
          </PageLink>
        )
      }
    >
      {!isPending && rows.length === 0 && <p className={styles.none}>{words.noBatches}</p>}
      <ul className={styles.rows}>
        {rows.map(({ id, code, param, counts }) => (
          <li key={id}>
            <Progress
              name={param.map(({ name }) => name).join('、')}
              beside={code}
              done={counts.succeeded + counts.skipped}
              failed={counts.failed + counts.refused + counts.expired}
              total={counts.total}
              page={batchPage}
              search={{ batch: id }}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
