// The trial of a batch: what it has come to, and, while the batch waits, whether it goes on.
import type { BatchTrialShown, ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { formatCount } from '../../../lib/format.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { WatchHalt } from '../../../ui/work/WatchPage.tsx'
import { ReasonList } from '../../../ui/work/WorkReasons.tsx'
import { BatchActionButton } from '../BatchActionButton.tsx'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { sharesOf, statesInSight } from '../parameterBatches.words.ts'
import type { BatchAction } from '../useBatchActions.tsx'
import { devicesOfBatch } from './devices.filters.ts'

const words = batchTexts.batch.trial

export function Trial({
  batch,
  actions,
}: {
  batch: ParameterBatchDetail
  /** What the user may do with the batch that waits. */
  actions: readonly BatchAction[]
}) {
  const { trial, trialResult: result } = batch
  if (!trial || !result) return null
  const { counts } = trial
  const isWaiting = trial.state === 'waiting'
  const hasTrouble = sharesOf(counts).failed > 0 || result.alarmed.length > 0
  return (
    <WatchHalt
      title={titleOf(trial, hasTrouble)}
      time={isWaiting ? trial.endTime : null}
      look={isWaiting ? (hasTrouble ? 'trouble' : 'waits') : 'past'}
    >
      <p className={styles.trialLine}>
        <span>{words.devices(formatCount(trial.devices))}</span>
        {statesInSight(counts).map((state) => (
          <StateTag key={state} state={state}>
            {batchTexts.deviceStates[state]} {formatCount(counts[state])}
          </StateTag>
        ))}
        {counts.total < trial.devices && <span>{words.partly(formatCount(counts.total))}</span>}
      </p>
      {result.reasons.length > 0 && (
        <ReasonList
          reasons={result.reasons}
          states={batchTexts.deviceStates}
          reasonOf={namedReason}
          countOf={batchTexts.deviceCount}
          devices={devicesOfBatch}
          also={{ isTrial: 1 }}
        />
      )}
      <Alarms batch={batch} result={result} />
      <p>{whatNext(batch, trial)}</p>
      {isWaiting && actions.length > 0 && (
        <div className={styles.trialActions}>
          {actions.map((action) => (
            <BatchActionButton
              key={action.key}
              action={action}
              {...(action.key === 'continue' && { type: 'primary' })}
            />
          ))}
        </div>
      )}
    </WatchHalt>
  )
}

/** New alarms on the devices of the trial, with the way to them. */
function Alarms({
  batch: { createTime },
  result: { alarms, alarmed },
}: {
  batch: ParameterBatchDetail
  result: NonNullable<ParameterBatchDetail['trialResult']>
}) {
  if (alarmed.length === 0) return <p>{words.noAlarms}</p>
  return (
    <>
      <p className={styles.trialLine}>
        <span>{words.alarms}</span>
        {alarms.map(({ code, name, level, devices }) => (
          <span key={code} className={styles.trialAlarm}>
            {level !== null && <LevelTag level={level} isSign />}
            {words.alarm(name, formatCount(devices))}
          </span>
        ))}
        <PageLink
          page="maintenance/exitWarning"
          search={{
            tab: 'history',
            code: alarmed.map(({ code }) => code).join(),
            startTime: createTime,
          }}
        >
          {words.allAlarms}
        </PageLink>
      </p>
      <p className={styles.trialLine}>
        <span>{words.alarmed}</span>
        {alarmed.map(({ equipId, code }) => (
          <DeviceCode key={equipId} code={code} id={equipId} />
        ))}
      </p>
    </>
  )
}

function titleOf({ state }: BatchTrialShown, hasTrouble: boolean): string {
  if (state !== 'waiting') return words.title[state]
  return hasTrouble ? words.troubled : words.title.waiting
}

/** How the batch goes on, or has. */
function whatNext({ counts: { held } }: ParameterBatchDetail, trial: BatchTrialShown): string {
  const rest = formatCount(held)
  switch (trial.state) {
    case 'running':
      return trial.autoMinutes === null
        ? words.thenByHand(rest)
        : words.thenAuto(rest, formatCount(trial.autoMinutes))
    case 'waiting':
      if (trial.autoTime !== null) return words.auto(trial.autoTime, rest)
      return trial.autoMinutes === null ? words.byHand(rest) : words.notAuto(rest)
    case 'continued':
      return trial.continueBy === null
        ? words.wentOn(trial.continueTime ?? '')
        : words.continued(trial.continueBy, trial.continueTime ?? '')
    case 'ended':
      return words.ended
  }
}
