import type { AlarmRow } from '@voltkeep/contract/alarms'
import { LevelTag } from '../../../ui/marks/LevelTag.tsx'
import { PageLink } from '../../../ui/PageLink.tsx'
import { BinSign } from './BinSign.tsx'
import styles from './Cabinet.module.css'
import type { Trouble } from './cabinet.model.ts'
import { cabinetTexts as words } from './cabinet.texts.ts'

/** What is wrong with a cabinet in a line: each trouble by its name, with the compartments that have it. */
export function Troubles({
  troubles,
  ofWhole,
  onJump,
}: {
  troubles: readonly Trouble[]
  /** Alarms that belong to no compartment. */
  ofWhole: readonly AlarmRow[]
  onJump: (no: number) => void
}) {
  const lines = linesOf(troubles, ofWhole)
  const [worst] = lines
  if (!worst) return null
  return (
    <ul className={styles.troubles} data-level={levelOf(worst)} aria-label={words.troubles}>
      {lines.map((line) =>
        'numbers' in line ? (
          <OfBins key={line.key} trouble={line} onJump={onJump} />
        ) : (
          <OfWhole key={line.id} alarm={line} />
        ),
      )}
    </ul>
  )
}

/** Worst first, whether of a compartment or of the whole cabinet. */
function linesOf(troubles: readonly Trouble[], alarms: readonly AlarmRow[]): (Trouble | AlarmRow)[] {
  const rankOf = (line: Trouble | AlarmRow) =>
    'numbers' in line ? (line.kind === 'alarm' ? line.level || 9 : 10) : line.alarmLevel || 9
  return [...troubles, ...alarms].sort((a, b) => rankOf(a) - rankOf(b))
}

const levelOf = (line: Trouble | AlarmRow) =>
  'numbers' in line ? (line.kind === 'fault' ? 1 : (line.level ?? 0)) : (line.alarmLevel ?? 0)

function OfWhole({ alarm }: { alarm: AlarmRow }) {
  return (
    <li className={styles.trouble}>
      <PageLink
        page="maintenance/exitWarning"
        search={{ code: alarm.code, open: alarm.id, at: alarm.occurrenceTime }}
        className={styles.troubleLink}
      >
        <LevelTag level={alarm.alarmLevel} />
        <span>
          {alarm.semaphoreName}
          {alarm.meaning && <span className={styles.quiet}> · {alarm.meaning}</span>}
        </span>
      </PageLink>
    </li>
  )
}

function OfBins({ trouble, onJump }: { trouble: Trouble; onJump: (no: number) => void }) {
  return (
    <li className={styles.trouble}>
      {trouble.kind === 'alarm' ? (
        <LevelTag level={trouble.level} />
      ) : trouble.kind === 'fault' ? (
        <BinSign look="fault" />
      ) : (
        <DoorSign />
      )}
      <span>{words.trouble(trouble)}</span>
      {trouble.numbers.map((no) => (
        <button key={no} type="button" className={styles.jump} onClick={() => onJump(no)}>
          {words.number(no)}
        </button>
      ))}
    </li>
  )
}

function DoorSign() {
  return (
    <svg className={styles.doorSign} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M2 2h6v11H2z" />
      <path d="m8 2 6 2.5v11L8 13z" />
    </svg>
  )
}
