import { formatCount } from '../../lib/format.ts'

/** How many devices are left out and why, such as `不升级 12 台：已是该版本 10，正在升级 2`; undefined where none is. */
export function leftOutLine<Left extends { devices: number }>(
  leftOut: readonly Left[],
  whole: (count: string) => string,
  reasonOf: (left: Left) => string,
): string | undefined {
  const some = leftOut.filter(({ devices }) => devices > 0)
  if (some.length === 0) return undefined
  const sum = some.reduce((total, { devices }) => total + devices, 0)
  const reasons = some.map((left) => `${reasonOf(left)} ${formatCount(left.devices)}`)
  return `${whole(formatCount(sum))}：${reasons.join('，')}`
}
