import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  liveBatchDevices,
  liveParameterBatches,
  type ParameterBatchDetail,
  readParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { reading } from '../../lib/wire/reading.ts'
import { Tabs } from '../../ui/Tabs.tsx'
import { UnreadWatchPage, WatchPage } from '../../ui/WatchPage.tsx'
import { BatchFacts } from './BatchFacts.tsx'
import { DeedButton } from './DeedButton.tsx'
import { Devices } from './Devices.tsx'
import { Log } from './Log.tsx'
import { Now } from './Now.tsx'
import { Progress } from './Progress.tsx'
import styles from './parameterBatches.module.css'
import { BatchSearch, type BatchTab, batchPage } from './parameterBatches.page.ts'
import { batchTexts } from './parameterBatches.texts.ts'
import { Reasons } from './Reasons.tsx'
import { BatchState } from './StateTag.tsx'
import { useBatchControl } from './useBatchControl.tsx'

const { batch: words } = batchTexts
/** While devices report, the numbers are read anew at most this often. */
const numbersPauseMs = 2_000

/** One batch as it is watched: what went wrong, how far it is, its devices and its log. */
export default function BatchView({ id }: { id: string }) {
  const query = useQuery({ ...reading(readParameterBatch, { id }), retry: false })
  useLiveReading(
    query.refetch,
    (event) => concerns(event, liveParameterBatches.noun, id) || concerns(event, liveBatchDevices.noun),
    numbersPauseMs,
  )
  const deedsOf = useBatchControl()
  const way = { page: batchPage, back: words.back }
  const batch = query.data
  if (!batch) return <UnreadWatchPage {...way} notFound={words.notFound} query={query} />
  const title = words.title(batch.code)
  return (
    <WatchPage
      {...way}
      title={
        <>
          {batch.kind === 'restore' && `${batchTexts.restoration} · `}
          {title}
        </>
      }
      label={title}
      tags={<BatchState batch={batch} />}
      actions={deedsOf(batch).map((deed) => <DeedButton key={deed.key} deed={deed} />)}
      error={query.error}
      onRetry={() => void query.refetch()}
    >
      <Now batch={batch} />
      <Reasons batch={batch} />
      <Progress batch={batch} />
      <Content batch={batch} />
      <BatchFacts batch={batch} />
    </WatchPage>
  )
}

/** Its devices, or its log. */
function Content({ batch }: { batch: ParameterBatchDetail }) {
  const [{ tab }] = useUrlState(BatchSearch)
  const navigate = useNavigate()
  // The other list begins without filters: the whole search is replaced, not only the tab.
  const show = (next: BatchTab) =>
    void navigate({
      to: '.',
      search: { batch: batch.id, ...(next !== 'devices' && { tab: next }) } as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <section className={styles.content} aria-label={words.tabs}>
      <Tabs
        label={words.tabs}
        active={tab}
        onChange={show}
        tabs={[
          { key: 'devices', title: words.devices },
          { key: 'log', title: words.log },
        ]}
      />
      {tab === 'log' ? <Log batch={batch} /> : <Devices batch={batch} />}
    </section>
  )
}
