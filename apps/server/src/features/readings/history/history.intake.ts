/**
 * What is kept of status reports: the values that changed, as rows of an insert-only table, in the transaction whose
 * commit the devices wait for. What is remembered of a device comes back after that commit.
 */
import { mostCompartments } from '@voltkeep/contract'
import type { Report, StatusConsumer } from '../../../platform/devices/ingest/reports.ts'
import type { KeyBudget } from './key-budget.ts'
import { insertReports, type OpenReport } from './open-reports.queries.ts'
import { packReport, type ReadingValue } from './packing/index.ts'
import { compartmentId, keptFields } from './reading-ids.ts'
import { Readings, type RuleOf, type Thinned, type ThinningMemory } from './thinning.ts'

type StatusPayload = Parameters<StatusConsumer['write']>[1][number]['payload']

export function createHistoryConsumer({
  keys,
  thinning,
  ruleOf,
  count,
}: {
  keys: KeyBudget
  thinning: ThinningMemory
  /** The rules of a device, by its id; they may have to be read first. */
  ruleOf(deviceIds: ReadonlySet<number>): Promise<(deviceId: number) => RuleOf>
  /** What became of the readings of a batch, after its commit, and which devices have begun to report more than is kept. */
  count(counts: Readonly<Thinned>, crowded: readonly number[]): void
}): StatusConsumer {
  const readings = new Readings()
  const kept = new Readings()
  const values: ReadingValue[] = []

  return {
    name: 'history of readings',
    async write(connection, reports) {
      await learnNames(keys, reports)
      const rulesOf = await ruleOf(new Set(reports.map(({ deviceId }) => deviceId)))
      const pass = thinning.begin()
      const rows: OpenReport[] = []
      let refused = 0
      for (const { deviceId, occurredAtMs, receivedAtMs, clockLimitMs, payload } of reports) {
        refused += read(keys, payload, readings)
        kept.clear()
        const report = { deviceId, atMs: occurredAtMs, arrivedMs: receivedAtMs, clockLimitMs }
        pass.take(report, readings, kept, rulesOf(deviceId))
        if (kept.count === 0) continue
        for (let index = 0; index < kept.count; index += 1) values[index] = kept.valueAt(index)
        rows.push({ deviceId, atMs: occurredAtMs, body: packReport(kept.ids, values, kept.count) })
      }
      if (rows.length > 0) await insertReports(connection, rows)
      return () => {
        pass.commit()
        count({ ...pass.counts, refused: pass.counts.refused + refused }, pass.crowded)
      }
    },
  }
}

/** The names that are new get their ids beforehand, so that no batch holds them locked. */
async function learnNames(keys: KeyBudget, reports: readonly Report<StatusPayload>[]): Promise<void> {
  const wanted = new Map<number, Set<string>>()
  const isSettled = keys.settled()
  for (const { deviceId, payload } of reports) {
    for (const name in payload.status) {
      if (typeof payload.status[name] === 'string' || isSettled(name, deviceId)) continue
      const names = wanted.get(deviceId)
      if (names) names.add(name)
      else wanted.set(deviceId, new Set([name]))
    }
  }
  if (wanted.size > 0) await keys.learn(wanted)
}

/** Reads the numbers and switches of a report. Returns how many have a name that is refused. */
function read(keys: KeyBudget, { status, compartments = [] }: StatusPayload, into: Readings): number {
  let refused = 0
  into.clear()
  // Field by field: ids that follow one another are a byte each.
  for (let field = 0; field < keptFields.length; field += 1) {
    const name = keptFields[field] as (typeof keptFields)[number]
    for (const compartment of compartments) {
      const value = compartment[name]
      if (value !== undefined && compartment.no <= mostCompartments)
        into.add(compartmentId(compartment.no, field), value)
    }
  }
  for (const name in status) {
    const value = status[name]
    if (value === undefined || typeof value === 'string') continue
    const id = keys.idOf(name)
    if (id) into.add(id, value)
    else refused += 1
  }
  return refused
}
