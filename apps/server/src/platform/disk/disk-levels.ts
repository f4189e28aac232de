/** The space of a file system, as `df` reckons it: space reserved for root is neither used nor free. */
export interface DiskSpace {
  totalBytes: number
  freeBytes: number
}

/** `low`: the operator is warned. `full`: nothing more is accepted. */
export type DiskLevel = 'roomy' | 'low' | 'full'

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

/**
 * A level is left only when this many times the threshold is free: otherwise a few seconds of writing would stop intake
 * again.
 */
const wayBack = 1.2

/** Less than this is free at the threshold. */
const leastFree = ({ totalBytes }: DiskSpace, { usedPercent, freeBytes }: DiskThreshold) =>
  Math.min((totalBytes * (100 - usedPercent)) / 100, freeBytes)

/** The level now, after `level`. */
export function nextLevel(level: DiskLevel, space: DiskSpace, thresholds: DiskThresholds): DiskLevel {
  const isBelow = (name: 'low' | 'full', isIn: boolean) =>
    space.freeBytes < leastFree(space, thresholds[name]) * (isIn ? wayBack : 1)
  if (isBelow('full', level === 'full')) return 'full'
  return isBelow('low', level !== 'roomy') ? 'low' : 'roomy'
}
