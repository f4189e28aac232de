// The page of one batch: problems first, then progress, devices and log.
import { useNavigate } from '@tanstack/react-router'
import { liveAlarms } from '@voltkeep/contract/alarms'
import {
  listParameterBatches,
  liveBatchDevices,
  liveParameterBatches,
  type ParameterBatchDetail,
  readParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { useUrlState } from '../../../lib/urlState.ts'
import { useWalk } from '../../../ui/detail/useWalk.ts'
import { Tabs } from '../../../ui/Tabs.tsx'
import { useWatched } from '../../../ui/work/useWatched.ts'
import { WatchPage } from '../../../ui/work/WatchPage.tsx'
import { BatchActionButton } from '../BatchActionButton.tsx'
import styles from '../parameterBatches.module.css'
import { BatchSearch, type BatchTab, batchPage, useOpenBatch } from '../parameterBatches.page.ts'
import { batchTexts } from '../parameterBatches.texts.ts'
import { BatchState } from '../StateTag.tsx'
import { type BatchAction, useBatchActions } from '../useBatchActions.tsx'
import { BatchFacts } from './BatchFacts.tsx'
import { Devices } from './Devices.tsx'
import { Log } from './Log.tsx'
import { Now } from './Now.tsx'
import { Progress } from './Progress.tsx'
import { Reasons } from './Reasons.tsx'
import { Trial } from './Trial.tsx'

const { batch: words } = batchTexts
/** However many alarms there are, the batch is read for them at most this often. */
const alarmsPauseMs = 5_000

export default function BatchView({ id }: { id: string }) {
  const query = useWatched(readParameterBatch, id, liveParameterBatches, liveBatchDevices)
  const trialState = query.data?.trial?.state
  // What the devices of a trial raise decides whether the batch goes on.
  useLiveReading(
    query.refetch,
    (event) =>
      (trialState === 'running' || trialState === 'waiting') &&
      event.type === 'changed' &&
      concerns(event, liveAlarms.noun),
    alarmsPauseMs,
  )
  const actionsOf = useBatchActions()
  const openBatch = useOpenBatch()
  const [{ tab }] = useUrlState(BatchSearch)
  const steps = useWalk(
    listParameterBatches,
    id,
    (batch, opening) => openBatch(batch, tab, opening),
    batchTexts.measure,
  )
  return (
    <WatchPage
      of={id}
      page={batchPage}
      back={words.back}
      steps={steps}
      query={query}
      notFound={words.notFound}
      show={(batch) => ({
        title: (
          <>
            {batch.kind === 'restore' && `${batchTexts.restoration} · `}
            {words.title(batch.code)}
            {batch.name !== null && ` · ${batch.name}`}
          </>
        ),
        label: words.title(batch.code),
        tags: <BatchState batch={batch} />,
        actions: actionsOf(batch)
          .filter((action) => !isOfTrial(batch, action))
          .map((action) => <BatchActionButton key={action.key} action={action} />),
        parts: (
          <>
            <Now batch={batch} />
            <Trial batch={batch} actions={actionsOf(batch).filter((action) => isOfTrial(batch, action))} />
            <Reasons batch={batch} />
            <Progress batch={batch} />
            <Content batch={batch} />
            <BatchFacts batch={batch} />
          </>
        ),
      })}
    />
  )
}

/** What stands with the trial that the batch waits after. */
const isOfTrial = ({ state }: ParameterBatchDetail, { key }: BatchAction) =>
  state === 'paused' && (key === 'continue' || key === 'stop')

/** The tab of devices, or of the log. */
function Content({ batch }: { batch: ParameterBatchDetail }) {
  const [{ tab }] = useUrlState(BatchSearch)
  const navigate = useNavigate()
  // The other tab starts without filters, so the whole search is replaced.
  const show = (next: BatchTab) =>
    void navigate({
      to: '.',
      search: { batch: batch.id, ...(next !== 'devices' && { tab: next }) } as never,
      replace: true,
      state: true,
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
