import type { Config } from '../config.ts'

/** The space of a file system, as `df` reckons it: space reserved for root is neither used nor free. */
export interface DiskSpace {
  totalBytes: number
  freeBytes: number
}

/** `low`: the operator is warned. `tight`: no files are accepted. `full`: nothing more is. */
export type DiskLevel = 'roomy' | 'low' | 'tight' | 'full'

/**
 * A threshold by the percentage that is used and by the bytes that are free: the one that leaves less free applies.
 * Five percent of 10 TB are 500 GB, which is no reason to turn devices away.
 */
export interface DiskThreshold {
  usedPercent: number
  freeBytes: number
}

export interface DiskThresholds {
  low: DiskThreshold
  full: DiskThreshold
}

const gigabyte = 1024 ** 3

export const thresholdsOf = ({
  diskWarnPercent,
  diskWarnFreeGb,
  diskStopPercent,
  diskStopFreeGb,
}: Pick<
  Config,
  'diskWarnPercent' | 'diskWarnFreeGb' | 'diskStopPercent' | 'diskStopFreeGb'
>): DiskThresholds => ({
  low: { usedPercent: diskWarnPercent, freeBytes: diskWarnFreeGb * gigabyte },
  full: { usedPercent: diskStopPercent, freeBytes: diskStopFreeGb * gigabyte },
})

/** Files leave twice as much free as intake does: no file takes the room that devices' reports need. */
const filesLeave = 2

/**
 * A level is left only when this many times the threshold is free: otherwise a few seconds of writing would stop intake
 * again.
 */
const wayBack = 1.2

/** Less than this is free at the threshold. */
const leastFree = ({ totalBytes }: DiskSpace, { usedPercent, freeBytes }: DiskThreshold) =>
  Math.min((totalBytes * (100 - usedPercent)) / 100, freeBytes)

/** What work of the server's own has to leave free: intake stops at less. */
export const leftByWork = (space: DiskSpace, { full }: Pick<DiskThresholds, 'full'>) => leastFree(space, full)

/** What files have to leave free. */
export const leftByFiles = (space: DiskSpace, { full }: Pick<DiskThresholds, 'full'>) =>
  filesLeave * leastFree(space, full)

/** The level now, after `level`. */
export function nextLevel(level: DiskLevel, space: DiskSpace, thresholds: DiskThresholds): DiskLevel {
  const least = {
    full: leastFree(space, thresholds.full),
    tight: leftByFiles(space, thresholds),
    low: leastFree(space, thresholds.low),
  }
  const worstFirst = ['full', 'tight', 'low', 'roomy'] as const
  const isLeaving = (name: DiskLevel) => worstFirst.indexOf(name) >= worstFirst.indexOf(level)
  for (const name of ['full', 'tight', 'low'] as const) {
    if (space.freeBytes < least[name] * (isLeaving(name) ? wayBack : 1)) return name
  }
  return 'roomy'
}
