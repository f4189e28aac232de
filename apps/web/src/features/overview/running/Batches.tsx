import { useQuery } from '@tanstack/react-query'
import { listParameterBatches, liveParameterBatches } from '@voltkeep/contract/parameterBatches'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { batchPage } from '../overview.links.ts'
import { overviewTexts as words } from '../overview.texts.ts'
import { Progress } from './Progress.tsx'
import { Running } from './Running.tsx'

const running = { state: ['running', 'paused'] as const }
const shownCount = 5

/** Parameter batches that run, or wait to be continued after their trial. */
export function Batches() {
  const isSeen = useCurrentUser().functionCodes.includes(listParameterBatches.access)
  return isSeen ? <RunningBatches /> : null
}

function RunningBatches() {
  const { data, isPending, error, refetch } = useQuery({
    ...reading(listParameterBatches, { state: [...running.state], pageNum: 1, pageSize: shownCount }),
    meta: { isQuiet: 'first' },
  })
  useLiveReading(refetch, (event) => event.type !== 'ready' && concerns(event, liveParameterBatches.noun))
  const { rows = [], total = 0 } = data ?? {}
  return (
    <Running
      title={words.batches}
      none={words.noBatches}
      list={{ rows, total, isPending, error, retry: () => void refetch() }}
      page={batchPage}
      search={running}
    >
      {({ id, code, param, state, counts }) => (
        <Progress
          name={param.map(({ name }) => name).join('、')}
          beside={state === 'paused' ? words.waitsToContinue : code}
          done={counts.succeeded + counts.skipped}
          failed={counts.failed + counts.refused + counts.expired}
          total={counts.total}
          page={batchPage}
          search={{ batch: id }}
        />
      )}
    </Running>
  )
}
