// How long failures lasted, of which a median is asked: from the sums of groups, where there are any.
import type { Trx } from '../../../platform/database/database.ts'
import * as queries from './availability.queries.ts'
import { countSteps, readSteps } from './recoveries.queries.ts'
import { rankOf, stepAt, valueAt } from './steps.rules.ts'

const shares = { median: 0.5, p90: 0.9 } as const
const shareNames = Object.keys(shares) as (keyof typeof shares)[]

/** Of these groups, and of all of the report together (key null). */
export async function readRecoveries(
  trx: Trx,
  asked: queries.Asked,
  listed: readonly string[],
): Promise<queries.Quantiles[]> {
  const { groups } = asked
  if (!groups) return await queries.readRecoveries(trx, asked, listed)
  const steps = await countSteps(trx, asked, groups)
  const byKey = Map.groupBy(steps, ({ key }) => key)
  const asks: { key: string | null; of: typeof steps }[] = [
    { key: null, of: steps },
    ...listed.map((key) => ({ key, of: byKey.get(key) ?? [] })),
  ]
  const places = asks.flatMap(({ key, of }) => {
    const counts = new Map<number, number>()
    for (const { step, n } of of) counts.set(step, (counts.get(step) ?? 0) + n)
    const count = of.reduce((sum, { n }) => sum + n, 0)
    return shareNames.flatMap((share) => {
      const place = stepAt(counts, rankOf(shares[share], count))
      return place ? [{ key, share, count, ...place }] : []
    })
  })
  const nameOf = (key: string | null, share: string) => `${share} ${key ?? ''}`
  const rows = await readSteps(
    trx,
    asked,
    groups,
    places.flatMap(({ key, share, step }) =>
      (key === null ? [...byKey.keys()] : [key]).map((one) => ({ name: nameOf(key, share), key: one, step })),
    ),
  )
  const values = Map.groupBy(rows, ({ name }) => name)
  const found = new Map<string | null, queries.Quantiles>()
  for (const { key, share, count, rank } of places) {
    const own = new Map((values.get(nameOf(key, share)) ?? []).map(({ seconds, n }) => [seconds, n]))
    const one = found.get(key) ?? { key, count, median: 0, p90: 0 }
    found.set(key, { ...one, [share]: valueAt(own, rank) ?? 0 })
  }
  return [...found.values()]
}
