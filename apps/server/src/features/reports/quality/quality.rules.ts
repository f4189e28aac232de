// How good the alarms of a time were, by ISA-18.2: pure decisions over alarms counted by ten minutes.
import { alarmTargets } from '@voltkeep/contract'

export const windowMs = 600_000

export interface WindowFlood {
  /** The numbers of its first ten minutes, and of those after its last. */
  from: number
  to: number
  count: number
  peak: number
}

/**
 * The floods among the counts of successive ten minutes: one begins with ten minutes of more than `floodBegins` alarms
 * and ends before ten minutes of fewer than `floodEnds`.
 */
export function floodsOf(counts: ArrayLike<number>): WindowFlood[] {
  const floods: WindowFlood[] = []
  let open: WindowFlood | null = null
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index] ?? 0
    if (open && count < alarmTargets.floodEnds) open = null
    if (!open) {
      if (count <= alarmTargets.floodBegins) continue
      open = { from: index, to: index, count: 0, peak: 0 }
      floods.push(open)
    }
    open.to = index + 1
    open.count += count
    open.peak = Math.max(open.peak, count)
  }
  return floods
}

export interface Load {
  peak: number
  floodCount: number
  /** Ten minutes that belong to floods. */
  floodWindows: number
}

export function loadOf(counts: ArrayLike<number>): Load {
  const floods = floodsOf(counts)
  let peak = 0
  for (let index = 0; index < counts.length; index += 1) peak = Math.max(peak, counts[index] ?? 0)
  return {
    peak,
    floodCount: floods.length,
    floodWindows: floods.reduce((sum, { from, to }) => sum + to - from, 0),
  }
}

/** The share, 0 where there is nothing to have a share of. */
export const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)

export interface BadActor {
  level: number | null
  count: number
  /** Of all alarms. */
  share: number
  chatteringCount: number
  standingCount: number
}

/** From this share of its alarms on, an alarm is one that chatters. */
const chattersFrom = 0.2
/** From this share of all alarms on, one alarm is a matter of its own. */
const dominatesFrom = 0.2

/** What to do about an alarm that is among the most frequent: the first that applies. */
export function adviceFor({ level, count, share, chatteringCount, standingCount }: BadActor): string {
  if (level === null) return '数据字典中没有这个告警：补全名称和级别，再判断是否需要上报'
  if (chatteringCount > 0 && shareOf(chatteringCount, count) >= chattersFrom)
    return '反复抖动：检查传感器和接线，在设备上加恢复延时'
  if (standingCount >= alarmTargets.standing) return '长时间不恢复：派人修复；暂时修不了的登记原因并停用'
  if (level === 1 && share > alarmTargets.levelShares[0])
    return '一级告警过多：复核级别，一级只留须立即处置的'
  if (share >= dominatesFrom) return '占比过高：先查共同原因，如同一批次、同一固件或供电'
  if (share > alarmTargets.topShare) return '占比偏高：按设备排序，先处理最频繁的几台'
  return '逐台查明原因，确认是否需要保留这个告警'
}
