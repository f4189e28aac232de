// Changes of stages: what an event makes of one, which is pure, and the writing of it, in the transaction that has the
// task locked.
import { portion } from '../../../domain/device-work/device-work.ts'
import type { Trx } from '../../../platform/database/database.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { targets } from '../targets/index.ts'
import { recordTransitions, type Transition } from '../transitions.queries.ts'
import { releaseTargets, type Stage, type StagedTask, setReleaseAt, writeStage } from './stages.queries.ts'
import { type StageEvent, stageAfter } from './stages.states.ts'

const minuteMs = 60_000

export interface StageChange<S extends Stage = Stage> {
  after: S
  /** Null where nothing changed but the figures of the gate. */
  transition: Pick<Transition, 'from' | 'to' | 'cause' | 'detail'> | null
}

/** The stage after the event. Throws where the event cannot happen: the caller has checked that. */
export function stageChange<S extends Stage>(
  stage: S,
  event: StageEvent,
  nowMs: number,
  cause: string,
  detail: object | null = null,
): StageChange<S> {
  const from = stage.state
  const to = stageAfter(from, event)
  if (to === null) throw new Error(`stage ${stage.number}: no ${event} in ${from}`)
  return {
    after: { ...stage, state: to, ...fieldsAfter(stage, event, nowMs) },
    transition: { from, to, cause, detail },
  }
}

function fieldsAfter({ soakMinutes }: Stage, event: StageEvent, nowMs: number): Partial<Stage> {
  const now = new Date(nowMs)
  switch (event) {
    case 'begun':
      return { startedAt: now }
    case 'executed':
      return { soakingAt: now, soakUntil: new Date(nowMs + soakMinutes * minuteMs) }
    case 'proven':
      return { endedAt: now }
    case 'waived':
    case 'waivedInSoak':
    case 'waivedWhenPassed':
      return { isGateWaived: true }
    case 'reopened':
      return { soakingAt: null, soakUntil: null }
    case 'stopped':
      return {}
  }
}

/** Lets the devices of a stage begin: the change of a stage that is pending. */
export const beginning = <S extends Stage>(stage: S, nowMs: number): StageChange<S> =>
  stageChange(stage, 'begun', nowMs, `第 ${stage.number} 批开始，共 ${stage.devices} 台`)

/** Writes changes in their order; a stage may have several. */
export async function writeStages(trx: Trx, taskId: number, changes: readonly StageChange[]): Promise<void> {
  const last = new Map(changes.map(({ after }) => [after.number, after]))
  for (const stage of last.values()) await writeStage(trx, taskId, stage)
  await recordTransitions(
    trx,
    changes.flatMap(({ after, transition }) =>
      transition ? [{ taskId, stage: after.number, targetId: null, ...transition }] : [],
    ),
  )
}

/**
 * Releases a portion of the targets up to and including that stage. While some are left, the task has a `releaseAt`,
 * which is returned: the next look then releases the next portion.
 */
export async function releasePortion(
  trx: Trx,
  { id, rule: { pacePerMinute }, releaseAt: before }: Pick<StagedTask, 'id' | 'rule' | 'releaseAt'>,
  stage: number,
): Promise<Date | null> {
  const fromMs = Math.max(sharedNowMs(), before?.getTime() ?? 0)
  const count = await releaseTargets(trx, {
    taskId: id,
    stage,
    fromAt: new Date(fromMs),
    pacePerMinute,
    limit: portion,
  })
  const releaseAt = count === portion ? new Date(fromMs + (count * minuteMs) / pacePerMinute) : null
  await setReleaseAt(trx, id, releaseAt)
  // Also where none was released: targets of the first stage are written as due.
  await targets.wake(trx, Math.max(0, fromMs - sharedNowMs()))
  return releaseAt
}
