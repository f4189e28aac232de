// The ways in which a device can go wrong over a command. A script decides, command by command; the same
// seed gives the same troubles.
import type { Random } from '../random.ts'

/** Every trouble, with what it means in words for the usage text. */
export const troubles = {
  'never-answers': '执行但从不应答',
  'answers-twice': '应答两次',
  'answers-late': '截止时间之后才应答',
  refuses: '拒绝执行',
  'cut-download': '下载中断一次后续传',
  'wrong-hash': '下载的文件校验失败',
  'disk-full': '存储空间不足',
  forgets: '不记得已执行的命令，重复执行',
  lies: '未执行却应答完成',
  'power-cut': '下载中途断电后重启',
  'foreign-reply': '另对不存在的命令应答',
} as const
export type TroubleName = keyof typeof troubles

/** The trouble with the next new command; undefined where it is executed as it should be. */
export type TroubleScript = () => TroubleName | undefined

/** One plan serves many devices: each gets a script of its own, with a source of chance of its own. */
export type TroublePlan = (random: Random) => TroubleScript

/** The same trouble with every command. */
export const always =
  (trouble: TroubleName): TroublePlan =>
  () =>
  () =>
    trouble

/** One entry for each command in turn; afterwards all is well. */
export const inTurn =
  (...troubles: (TroubleName | undefined)[]): TroublePlan =>
  () => {
    let next = 0
    return () => troubles[next++]
  }

/** Of all commands, the share that goes wrong in each way. */
export type TroubleShares = Partial<Record<TroubleName, number>>

/** Draws one trouble at most for each command. */
export function byChance(shares: TroubleShares): TroublePlan {
  const list = Object.entries(shares) as [TroubleName, number][]
  return (random) => () => {
    let rest = random.next()
    for (const [name, share] of list) {
      if (rest < share) return name
      rest -= share
    }
    return undefined
  }
}

/** Reads `名称=比例` texts, e.g. `disk-full=0.02`. Throws a TypeError that says what is wrong. */
export function parseTroubles(texts: readonly string[]): TroubleShares {
  const shares: TroubleShares = {}
  for (const text of texts) {
    const [name = '', share] = text.split('=')
    if (!Object.hasOwn(troubles, name)) throw new TypeError(`没有名为 ${name} 的故障`)
    const value = Number(share || Number.NaN)
    if (!(value >= 0 && value <= 1)) throw new TypeError(`${text}：比例应为 0 到 1`)
    shares[name as TroubleName] = value
  }
  const sum = Object.values(shares).reduce((total, share) => total + share, 0)
  // Beyond rounding: ten times 0.1 is not quite 1.
  if (sum > 1 + 1e-9) throw new TypeError('各故障的比例之和不能超过 1')
  return shares
}
