// 处置记录: one alarm from report to closing, on one sheet of paper.
import { PrinterOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { type AlarmAction, handlingKindNames, readAlarmHandling } from '@voltkeep/contract/alarmHandling'
import { readAlarm } from '@voltkeep/contract/alarms'
import { readAlarmTimeline } from '@voltkeep/contract/alarmTimeline'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useShownFirst } from '../../lib/firstShown.ts'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { Figures, Part } from './ReportFrame.tsx'
import { type Step, stepsOf } from './record.steps.ts'
import styles from './reports.module.css'
import { reportTexts } from './reports.texts.ts'

const words = reportTexts.record
const quietly = { retry: false, meta: { isQuiet: true } } as const

export default function AlarmRecord({
  id,
  occurrenceTime,
}: {
  id: string
  occurrenceTime?: string | undefined
}) {
  const named = { id, ...(occurrenceTime && { occurrenceTime }) }
  const maySeeTimeline = usePermission('alarm:history')
  const alarm = useQuery({ ...reading(readAlarm, named), ...quietly })
  const actions = useQuery({ ...reading(readAlarmHandling, { id }), ...quietly })
  const timeline = useQuery({ ...reading(readAlarmTimeline, named), ...quietly, enabled: maySeeTimeline })
  useShownFirst(!alarm.isPending)
  const error = alarm.error ?? actions.error
  if (error) return <EmptyState title={texts.list.failed} hint={error.message} />
  if (!alarm.data || !actions.data)
    return <div className={styles.page} role="status" aria-label={texts.list.loading} />
  const row = alarm.data
  const { confirmed, onSite, closed } = stepsOf(actions.data)
  const own = (timeline.data?.rows ?? []).filter((one) => one.id !== id).reverse()
  return (
    <section className={styles.page} aria-label={words.title}>
      <header className={styles.head}>
        <h1>{words.title}</h1>
        <div className={styles.actions}>
          <Button icon={<PrinterOutlined />} onClick={() => window.print()}>
            {reportTexts.print}
          </Button>
        </div>
      </header>
      <Part title={words.alarm}>
        <dl className={styles.facts}>
          <Fact name={words.device}>{[row.code, row.equipName].filter(Boolean).join(' ')}</Fact>
          <Fact name={words.place}>{[row.regionName, row.address].filter(Boolean).join(' ')}</Fact>
          <Fact name={words.operator}>{row.operatorName}</Fact>
          <Fact name={words.content}>
            {row.semaphoreName}
            {row.meaning && `（${row.meaning}）`}
          </Fact>
        </dl>
      </Part>
      <Part title={words.steps}>
        <Figures heads={[words.step, words.time, words.by, words.note]} isWords>
          <Line name={words.reported} time={row.occurrenceTime} by={words.deviceItself} note={null} />
          <Done name={words.confirmed} step={confirmed} />
          <Done name={words.onSite} step={onSite} />
          <Line
            name={words.recovered}
            time={row.recoveryTime}
            by={row.recoveryTime && (row.recoveredBy ?? words.deviceItself)}
            note={row.note}
          />
          <Line
            name={words.closed}
            time={closed?.time ?? null}
            by={closed?.userName ?? null}
            note={[closed?.cause, closed?.note].filter(Boolean).join('，')}
          />
        </Figures>
        <p className={styles.hint}>{words.onSiteHint}</p>
      </Part>
      <Part title={words.deeds}>
        {actions.data.length === 0 ? (
          <p className={styles.empty}>{words.deedsNone}</p>
        ) : (
          <Figures heads={[words.deed, words.time, words.by, words.note]} isWords>
            {actions.data.map((action, at) => (
              <Line
                // biome-ignore lint/suspicious/noArrayIndexKey: what was done stays done, in its order
                key={at}
                name={handlingKindNames[action.kind]}
                time={action.time}
                by={action.userName}
                note={saidOf(action)}
              />
            ))}
          </Figures>
        )}
      </Part>
      <Part title={words.own} hint={words.ownHint}>
        {own.length === 0 ? (
          <p className={styles.empty}>{words.ownNone}</p>
        ) : (
          <Figures heads={[words.what, words.time, words.until, words.meaning]} isWords>
            {own.map((one) => (
              <tr key={`${one.kind} ${one.id}`}>
                <th scope="row">{one.semaphoreName}</th>
                <td>{one.occurrenceTime}</td>
                <td>{one.recoveryTime ?? ''}</td>
                <td>{one.meaning ?? one.value}</td>
              </tr>
            ))}
          </Figures>
        )}
      </Part>
      <p className={styles.signing}>
        <span>{words.signature}</span>
        <span>{words.signedAt}</span>
      </p>
    </section>
  )
}

/** Who has it since, why it was closed, what was noted. */
const saidOf = ({ kind, note, after }: AlarmAction) =>
  [
    kind === 'assign' || kind === 'claim' ? after.assigneeName : null,
    kind === 'close' ? after.causeName : null,
    note,
  ]
    .filter(Boolean)
    .join('，')

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const Done = ({ name, step }: { name: string; step: Step | null }) => (
  <Line name={name} time={step?.time ?? null} by={step?.userName ?? null} note={step?.note ?? null} />
)

/** What is not known is left empty, to be written by hand. */
function Line({
  name,
  time,
  by,
  note,
}: {
  name: string
  time: string | null
  by: string | null
  note: string | null
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{time}</td>
      <td>{by}</td>
      <td className={styles.words}>{note}</td>
    </tr>
  )
}
