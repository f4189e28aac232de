// What a message says, whatever sends it: one alarm in full, or several in a line each.
import { alarmLevelNames, formatDateTime, type NotifyEvent } from '@voltkeep/contract'

/** What happened to one alarm. */
export interface NoticeEntry {
  event: NotifyEvent
  /** Null where the dictionary does not know the code. */
  level: number | null
  /** `仓位过温 · 4号仓` */
  what: string
  deviceCode: string
  deviceName: string | null
  place: string
  /** When it happened, by the device. */
  at: Date
  /** Where the console shows it. */
  link: string
}

export interface NoticeMessage {
  /** The same in every attempt: a receiver knows a repetition by it. */
  id: string
  /** The gravest and newest first; at most `entriesNamed` of them. */
  entries: readonly NoticeEntry[]
  /** Of all, those that are not among the entries too. */
  raisedByLevel: ReadonlyMap<number | null, number>
  recovered: number
  /** Of the raised ones, those that nobody has acknowledged for a while. */
  escalated: number
  /**
   * Addresses of the people who are told: of mail in place of the channel's receivers, of robots those whom the message
   * mentions.
   */
  people?: readonly string[]
  /** The list of current alarms. */
  link: string
  /** In place of all this: what another feature has to say, by mail alone. */
  letter?: { title: string; text: string; file?: { name: string; content: Buffer } | null }
}

/** More in one message are counted and not named. */
export const entriesNamed = 20

/** How a channel marks up a text. */
export interface Markup {
  strong: (text: string) => string
  link: (label: string, address: string) => string
  /** Takes the meaning out of what comes from devices and users. */
  plain: (text: string) => string
}

/** Look-alikes without a meaning of their own: the robots' dialects have no common way to escape. */
const lookAlikes: Record<string, string> = {
  '<': '＜',
  '>': '＞',
  '[': '［',
  ']': '］',
  '*': '＊',
  '`': '＇',
  '#': '＃',
  '|': '｜',
  '~': '～',
  '@': '＠',
}

export const markdown: Markup = {
  strong: (text) => `**${text}**`,
  link: (label, address) => `[${label}](${address})`,
  plain: (text) => text.replace(/[<>[\]*`#|~@]/g, (sign) => lookAlikes[sign] ?? sign).replace(/\s+/g, ' '),
}

export const plainText: Markup = {
  strong: (text) => text,
  link: (label, address) => `${label}：${address}`,
  plain: (text) => text.replace(/\s+/g, ' '),
}

const levelName = (level: number | null) => (level === null ? '未定级' : (alarmLevelNames[level] ?? '未定级'))
const deviceOf = ({ deviceName, deviceCode }: NoticeEntry) =>
  deviceName === null ? deviceCode : `${deviceName} ${deviceCode}`
const countOf = ({ raisedByLevel, recovered }: NoticeMessage) =>
  [...raisedByLevel.values()].reduce((sum, count) => sum + count, recovered)

/** The gravest level that was raised; null where nothing was raised. */
export function gravestOf({ raisedByLevel }: NoticeMessage): number | null {
  const levels = [...raisedByLevel.keys()].map((level) => level ?? 4)
  return levels.length === 0 ? null : Math.min(...levels)
}

const lineStates: Record<NotifyEvent, (level: string) => string> = {
  raised: (level) => level,
  escalated: (level) => `${level}（无人确认）`,
  recovered: () => '恢复',
}
const singleTitles: Record<NotifyEvent, (level: string) => string> = {
  raised: (level) => `${level}告警`,
  escalated: (level) => `${level}告警无人确认`,
  recovered: () => '告警恢复',
}

/** One line without markup. */
export function titleOf(message: NoticeMessage): string {
  if (message.letter) return message.letter.title
  const [only] = message.entries
  if (only && countOf(message) === 1)
    return `【${singleTitles[only.event](levelName(only.level))}】${only.what}`
  const levels = [...message.raisedByLevel].toSorted(([a], [b]) => (a ?? 9) - (b ?? 9))
  const parts = levels.map(([level, count]) => `${levelName(level)} ${count}`)
  if (message.escalated > 0) parts.push(`其中无人确认 ${message.escalated}`)
  if (message.recovered > 0) parts.push(`已恢复 ${message.recovered}`)
  return `【告警 ${countOf(message)} 条】${parts.join('，')}`
}

/**
 * The lines under the title, cut to `limitBytes` of UTF-8 between two lines; what is left out is counted in the last
 * one. `separator` stands between them.
 */
export function bodyOf(
  message: NoticeMessage,
  { strong, link, plain }: Markup,
  { limitBytes, separator }: { limitBytes: number; separator: string },
): string {
  const [only] = message.entries
  if (only && countOf(message) === 1) {
    const timeLabel = only.event === 'recovered' ? '恢复' : '发生'
    return [
      `设备：${plain(deviceOf(only))}`,
      `位置：${plain(only.place)}`,
      `${timeLabel}：${formatDateTime(only.at)}`,
      link('查看告警', only.link),
    ].join(separator)
  }
  const count = countOf(message)
  const lastLine = (left: number) =>
    left > 0 ? `另有 ${left} 条，${link('查看全部', message.link)}` : link('查看全部', message.link)
  const room = limitBytes - Buffer.byteLength(separator + lastLine(count))
  const lines: string[] = []
  let usedBytes = 0
  for (const entry of message.entries) {
    const state = lineStates[entry.event](levelName(entry.level))
    const line = `${strong(state)} ${plain(entry.what)}，${plain(deviceOf(entry))}，${formatDateTime(entry.at)}`
    const bytes = Buffer.byteLength(line + separator)
    if (usedBytes + bytes > room) break
    lines.push(line)
    usedBytes += bytes
  }
  return [...lines, lastLine(count - lines.length)].join(separator)
}
