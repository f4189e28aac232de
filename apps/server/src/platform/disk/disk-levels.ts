/** What a file system says of itself, as `df` reckons: what only root may use is neither used nor free. */
export interface DiskSpace {
  totalBytes: number
  freeBytes: number
}

/** `low`: the operator is warned. `full`: nothing is taken in any more. */
export type DiskLevel = 'roomy' | 'low' | 'full'

/**
 * From how much on: by the percentage that is used, or by what is free, whichever asks for less. Of 10 TB five percent
 * are 500 GB, which is no reason to turn devices away.
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
 * So much more has to be free than at the threshold before a level is left: what is written in a few seconds must not
 * stop intake again.
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
