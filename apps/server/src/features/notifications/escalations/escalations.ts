/**
 * Escalations as they go on and end. What tells of an end may be lost, so an end is looked for three times: when people
 * or the device say something, when a turn is due, and when a message is about to leave.
 */
import type { Db, Trx } from '../../../platform/database/database.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import type { Alarms } from '../../alarms/index.ts'
import { quietUntil } from '../rules/quiet-hours.ts'
import { type Complain, receiversAt } from '../targets/receivers.ts'
import type { Receiver } from '../targets/targets.queries.ts'
import * as queries from './escalations.queries.ts'
import {
  type EndReason,
  endOf,
  isSkipped,
  nextAtMs,
  type Run,
  stepOf,
  type Targets,
  type Waiting,
} from './escalations.states.ts'

export const escalationTable = 'notify_escalation'
const portion = 2_000

export type Escalations = ReturnType<typeof createEscalations>

export function createEscalations({ readStandings }: Pick<Alarms, 'readStandings'>, complain?: Complain) {
  /** Of runs, those that go on; the others are ended. */
  async function endOver(
    trx: Trx,
    rows: readonly queries.EscalationRow[],
    now: Date,
  ): Promise<{ row: queries.EscalationRow; run: Run; alarm: Waiting }[]> {
    const standings = await readStandings(trx, [...new Set(rows.map(({ episodeId }) => episodeId))])
    const ended: { id: string; reason: EndReason }[] = []
    const going: { row: queries.EscalationRow; run: Run; alarm: Waiting }[] = []
    for (const row of rows) {
      const run = { beganAtMs: row.beganAt.getTime(), chain: row.chain, turn: row.turn }
      const alarm = standings.get(row.episodeId)
      const reason = endOf(run, alarm, now.getTime())
      if (reason) ended.push({ id: row.id, reason })
      else if (alarm) going.push({ row, run, alarm })
    }
    if (ended.length > 0) await queries.endRuns(trx, ended, now)
    const overtaken = going.filter(({ alarm }) => alarm.isAcknowledged).map(({ row }) => row.episodeId)
    if (overtaken.length > 0) await queries.forgetAcknowledged(trx, overtaken)
    return going
  }

  return {
    /** Ends what is over, of these alarms or of all. */
    async settle(db: Db, episodeIds: readonly string[] | null, now: Date): Promise<void> {
      let after = '0'
      let count: number
      do {
        count = await db.transaction().execute(async (trx) => {
          const rows = await queries.lockRunningOf(trx, episodeIds, { after, limit: portion })
          after = rows.at(-1)?.id ?? after
          await endOver(trx, rows, now)
          return rows.length
        })
      } while (count === portion)
    },

    /** The same in a transaction of the caller's, of a few alarms. */
    async settleIn(trx: Trx, episodeIds: readonly string[], now: Date): Promise<void> {
      await endOver(
        trx,
        await queries.lockRunningOf(trx, episodeIds, { after: '0', limit: episodeIds.length * 100 }),
        now,
      )
    },

    /** Tells the turn that is due of each of these, and says when the next one is. Returns channels with news. */
    async advance(trx: Trx, ids: readonly string[], now: Date): Promise<number[]> {
      const going = await endOver(trx, await queries.lockRunning(trx, ids), now)
      const known = new Map<string, Receiver[]>()
      const receiversOf = async (rule: queries.EscalationRow, targets: Targets) => {
        const key = JSON.stringify([rule.organizationId, targets])
        const before = known.get(key)
        if (before) return before
        const found = await receiversAt(trx, rule, targets, now, complain)
        known.set(key, found)
        return found
      }
      const tellings = new Map<string, queries.Telling & { episodeIds: string[] }>()
      const written: { id: string; turn: number; nextAt: Date | null }[] = []
      for (const { row, run, alarm } of going) {
        let { turn } = run
        let nextMs: number | null
        for (;;) {
          turn += 1
          const { unless, ...targets } = stepOf(run.chain, turn)
          const isTold = !isSkipped(run.chain, turn, alarm)
          const receivers = isTold ? await receiversOf(row, targets) : []
          if (receivers.length > 0) {
            const key = JSON.stringify([row.ruleId, turn, receivers, unless, run.chain.quiet])
            const telling = tellings.get(key) ?? {
              ruleId: row.ruleId,
              turn,
              unless,
              episodeIds: [],
              receivers,
              due: { critical: now, others: quietUntil(run.chain.quiet, now) ?? now },
            }
            telling.episodeIds.push(row.episodeId)
            tellings.set(key, telling)
          }
          nextMs = nextAtMs({ ...run, turn }, now.getTime())
          // Where nobody is there to be told, the next step does not wait; a step that was missed comes with it.
          const isNextStep = turn < run.chain.steps.length
          const isNobody = isTold && receivers.length === 0
          if (!isNextStep || nextMs === null || (nextMs > now.getTime() && !isNobody)) break
        }
        written.push({ id: row.id, turn, nextAt: nextMs === null ? null : new Date(nextMs) })
      }
      for (const telling of tellings.values()) await queries.insertEscalated(trx, telling)
      if (written.length > 0) await queries.writeTurns(trx, written)
      return [
        ...new Set(
          [...tellings.values()].flatMap(({ receivers }) => receivers.map(({ channelId }) => channelId)),
        ),
      ].toSorted((a, b) => a - b)
    },
  }
}

/** Has the queue look when the next turn is due. */
export const wakeEscalations = async (trx: Trx, inMs: number) =>
  await statementsOf(trx).query(wake(escalationTable, inMs))
