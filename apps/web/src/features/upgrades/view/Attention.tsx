import { describeGate } from '@voltkeep/contract/upgradeGate'
import type { UpgradeTaskDetail } from '@voltkeep/contract/upgrades'
import { formatCount } from '../../../lib/format.ts'
import { DeviceCode } from '../../../ui/DeviceCode.tsx'
import { WatchHalt, WatchNote, WatchNow } from '../../../ui/work/WatchPage.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { failureLine, nowOf } from '../upgrades.words.ts'
import styles from './view.module.css'

const words = upgradeTexts.task

/** What the task is doing now; where it has paused by itself, the reason with its figures and devices. */
export function Attention({ task }: { task: UpgradeTaskDetail }) {
  return (
    <>
      {task.stopNote !== null && <WatchNote role="status">{task.stopNote}</WatchNote>}
      {!task.isWhole && <WatchNote>{task.isControllable ? words.partlyMoved : words.partly}</WatchNote>}
      {task.state === 'paused' && task.pause ? (
        <Pause pause={task.pause} />
      ) : (
        <WatchNow>{nowOf(task)}</WatchNow>
      )}
    </>
  )
}

function Pause({ pause }: { pause: NonNullable<UpgradeTaskDetail['pause']> }) {
  const { reason, gate, failures, by, note, time, stage } = pause
  return (
    <WatchHalt
      title={words.pausedTitle[reason]}
      time={time}
      look={reason === 'user' || reason === 'decider' ? 'waits' : 'trouble'}
    >
      {by !== null && <p>{words.pausedBy(by)}</p>}
      {gate ? (
        <p>
          {stage !== null && `${upgradeTexts.rule.stage(stage)}：`}
          {describeGate(gate)}
        </p>
      ) : (
        reason !== 'user' && <p>{failures ? failureLine(failures) : note}</p>
      )}
      {gate && gate.alarms.length > 0 && (
        <p className={styles.line}>
          <span className={styles.about}>{words.newAlarms}</span>
          {gate.alarms.map(({ code, name, devices }) => (
            <span key={code}>{words.alarm(name, formatCount(devices))}</span>
          ))}
        </p>
      )}
      {gate && gate.devices.length > 0 && (
        <p className={styles.line}>
          <span className={styles.about}>{words.withAlarms}</span>
          {gate.devices.map(({ equipId, code }) => (
            <DeviceCode key={equipId} code={code} id={equipId} />
          ))}
        </p>
      )}
    </WatchHalt>
  )
}
