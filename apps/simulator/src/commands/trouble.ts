// The ways in which a device can go wrong over a command or an upgrade. A script decides, try by try; the same
// seed gives the same troubles.
import type { Random } from '../random.ts'
import { texts } from '../texts.ts'

/** Every trouble with a command about advertisements, with a description for the usage text. */
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

/** Every trouble with an upgrade. */
export const upgradeTroubles = {
  'never-answers': '收到命令后从不应答',
  'goes-silent': '应答之后再无消息',
  refuses: '以板卡不符为由拒绝',
  'cut-download': '下载中断一次后续传',
  'power-cut': '下载中途断电，重启后续传',
  'wrong-hash': '下载的文件校验失败',
  'install-power-cut': '安装中途断电，重启后重新安装',
  'install-fails': '安装失败，原版本继续运行',
  'claims-success': '报告已安装，重启后仍是原版本',
  alarms: '安装成功，随后产生告警',
} as const
export type UpgradeTroubleName = keyof typeof upgradeTroubles

/** Every trouble with new values of parameters. */
export const settingTroubles = {
  refuses: '以设备已锁定为由拒绝',
  fails: '执行失败',
  silent: '收到命令后不执行，也不应答',
  'never-applies': '应答完成但从不生效',
  'applies-late': '应答完成，过一会才生效',
  'applies-some': '应答完成，但只生效一部分',
} as const
export type SettingTroubleName = keyof typeof settingTroubles

/** Every trouble with the extraction of a log. */
export const logTroubles = {
  'never-answers': '收到命令后既不应答也不上传',
  'goes-silent': '应答之后不上传',
  refuses: '以没有日志为由拒绝',
  'cut-upload': '上传一半中断，然后重新上传',
  'wrong-type': '上传其他类型的文件',
  'too-large': '上传超过大小上限的文件',
  'wrong-checksum': '上传校验和有误的压缩包（gz）',
} as const
export type LogTroubleName = keyof typeof logTroubles

/** Every trouble with a remote action. */
export const actionTroubles = {
  'never-answers': '执行但从不应答',
  refuses: '以正在换电为由拒绝',
  fails: '执行失败',
  lies: '未执行却应答完成',
} as const
export type ActionTroubleName = keyof typeof actionTroubles

/** The trouble of the next new command, or of the next try of an upgrade; undefined without trouble. */
export type TroubleScript<Name extends string = TroubleName> = () => Name | undefined

/** One plan serves many devices: each gets its own script with its own random source. */
export type TroublePlan<Name extends string = TroubleName> = (random: Random) => TroubleScript<Name>

/** The same trouble each time. */
export const always =
  <Name extends string>(trouble: Name): TroublePlan<Name> =>
  () =>
  () =>
    trouble

/** One entry per time in order; no trouble afterwards. */
export const inTurn =
  <Name extends string>(...troubles: (Name | undefined)[]): TroublePlan<Name> =>
  () => {
    let next = 0
    return () => troubles[next++]
  }

/** The share of all times that goes wrong in each way. */
export type TroubleShares<Name extends string = TroubleName> = Partial<Record<Name, number>>

/** Draws one trouble at most each time. */
export function byChance<Name extends string>(shares: TroubleShares<Name>): TroublePlan<Name> {
  const list = Object.entries(shares) as [Name, number][]
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
export function parseTroubles<Name extends string>(
  known: Readonly<Record<Name, string>>,
  given: readonly string[],
): TroubleShares<Name> {
  const shares: TroubleShares<Name> = {}
  let sum = 0
  for (const text of given) {
    const [name = '', share] = text.split('=')
    if (!Object.hasOwn(known, name)) throw new TypeError(texts.noTrouble(name))
    const value = Number(share || Number.NaN)
    if (!(value >= 0 && value <= 1)) throw new TypeError(texts.badShare(text))
    sum += value - (shares[name as Name] ?? 0)
    shares[name as Name] = value
  }
  // Beyond rounding: ten times 0.1 is not quite 1.
  if (sum > 1 + 1e-9) throw new TypeError(texts.sharesBeyond)
  return shares
}
