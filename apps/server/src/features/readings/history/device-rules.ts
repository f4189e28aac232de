// Which rules the readings of a device are thinned by: those of its equipment type.
import type pg from 'pg'
import { keyOfCompartmentId } from './reading-ids.ts'
import { ordinaryRule, type RuleOf, type ThinningRule } from './thinning.ts'

export type RuleOfKey = (key: string) => ThinningRule
/** The rules of an equipment type, by the keys of readings. */
export type RulesFor = (equipTypeId: number) => RuleOfKey

/** A device seldom gets another model. */
const freshMs = 3_600_000
const mostDevices = 200_000

/** Without `rulesFor` all readings have the ordinary rule, and nothing is read. */
export function createDeviceRules({
  pool,
  rulesFor,
  rulesKnown,
  nameOf,
}: {
  pool: pg.Pool
  rulesFor: RulesFor | null
  /** Resolves when `rulesFor` has them; the intake waits for it before it asks. */
  rulesKnown(): Promise<void>
  /** The name that an id stands for. */
  nameOf(id: number): string | undefined
}) {
  const types = new Map<number, { equipTypeId: number; readAtMs: number }>()
  const rules = new Map<number, RuleOf>()
  const ordinary: RuleOf = () => ordinaryRule

  const ofType = (equipTypeId: number): RuleOf => {
    const known = rules.get(equipTypeId)
    if (known) return known
    const byKey = rulesFor?.(equipTypeId)
    if (!byKey) return ordinary
    const byId: ThinningRule[] = []
    const ruleOf: RuleOf = (id) => {
      const before = byId[id]
      if (before) return before
      const key = keyOfCompartmentId(id) ?? nameOf(id)
      // Not for good: the name is met with its first report.
      if (key === undefined) return ordinaryRule
      const rule = byKey(key)
      byId[id] = rule
      return rule
    }
    rules.set(equipTypeId, ruleOf)
    return ruleOf
  }

  const learnTypes = async (deviceIds: Iterable<number>) => {
    const now = performance.now()
    const unknown = [...deviceIds].filter((id) => {
      const type = types.get(id)
      return !type || now - type.readAtMs > freshMs
    })
    if (unknown.length === 0) return
    if (types.size > mostDevices) types.clear()
    for (const { id, equipTypeId } of await readTypes(pool, unknown))
      types.set(id, { equipTypeId, readAtMs: now })
  }

  return {
    async ofDevices(deviceIds: ReadonlySet<number>): Promise<(deviceId: number) => RuleOf> {
      if (!rulesFor) return () => ordinary
      await learnTypes(deviceIds)
      return (deviceId) => {
        const type = types.get(deviceId)
        return type ? ofType(type.equipTypeId) : ordinary
      }
    },
    /** The rules of a device by the keys of readings, for those who have not met their names. */
    async byKeyOf(deviceId: number): Promise<RuleOfKey> {
      if (!rulesFor) return () => ordinaryRule
      // A process without the role ingest has not asked for them yet.
      await rulesKnown()
      await learnTypes([deviceId])
      const type = types.get(deviceId)
      return type ? rulesFor(type.equipTypeId) : () => ordinaryRule
    },
    /** Called when the rules have changed. */
    changed: () => rules.clear(),
  }
}

async function readTypes(pool: pg.Pool, deviceIds: readonly number[]) {
  const { rows } = await pool.query<{ id: number; equipTypeId: number }>({
    name: 'readings.readTypes',
    text: `
      SELECT d.id, m.equip_type_id AS "equipTypeId" FROM device d JOIN equip_model m ON m.id = d.model_id
      WHERE d.id = ANY($1::int[])`,
    values: [deviceIds],
  })
  return rows
}
