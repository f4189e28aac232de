import type { Troubles } from './overview.queries.ts'

/**
 * Regions summed up at the first level on which there are several: provinces of a country, or districts where all
 * devices are in one city. `path` is /country/province/…; the worst region comes first.
 */
export function apartAt(regions: readonly (Troubles & { path: string })[]): (Troubles & { id: number })[] {
  const placed = regions.map(({ path, ...counts }) => ({ ids: path.split('/').filter(Boolean), counts }))
  const first = placed[0]?.ids ?? []
  let shared = 0
  while (shared < first.length && placed.every(({ ids }) => ids[shared] === first[shared])) shared += 1
  const sums = new Map<string, Troubles>()
  for (const { ids, counts } of placed) {
    // Devices in the shared region itself are in no region below it.
    const id = ids[shared] ?? ids.at(-1)
    if (id === undefined) continue
    const sum = sums.get(id)
    sums.set(id, sum ? added(sum, counts) : counts)
  }
  return [...sums]
    .map(([id, counts]) => ({ ...counts, id: Number(id) }))
    .sort(
      (a, b) =>
        troubleOf(b) - troubleOf(a) ||
        b.alarmCount - a.alarmCount ||
        b.onlineCount - a.onlineCount ||
        a.id - b.id,
    )
}

/**
 * How much is wrong with a part of the fleet, relative to its size. By the number alone the largest part would always
 * lead, and by the share a single device: the square root of the size is a compromise. The list of operators sorts by
 * the same.
 */
export const troubleOf = ({ criticalCount, majorCount, offlineCount, onlineCount }: Troubles): number =>
  (2 * criticalCount + majorCount + offlineCount) / Math.sqrt(Math.max(onlineCount + offlineCount, 1))

const added = (a: Troubles, b: Troubles): Troubles => ({
  onlineCount: a.onlineCount + b.onlineCount,
  offlineCount: a.offlineCount + b.offlineCount,
  criticalCount: a.criticalCount + b.criticalCount,
  majorCount: a.majorCount + b.majorCount,
  alarmCount: a.alarmCount + b.alarmCount,
  shelvedCount: a.shelvedCount + b.shelvedCount,
})
