// What a message says, whatever sends it: one alarm in full, or several in a line each.
import { alarmLevelNames, formatDateTime, type NotifyEvent } from '@voltkeep/contract'
import { seededMeaning, seededName } from '../../../platform/process/language/seeded-names.ts'
import { languageNow, said } from '../../../platform/process/language/speech.ts'

/** What a message is about: an alarm, a device, an upgrade task, a batch of settings. */
export type SubjectKind = 'alarm' | 'device' | 'upgrade' | 'batch'

/** What happened to one of them. */
export interface NoticeEntry {
  event: NotifyEvent
  kind: SubjectKind
  /** How often the same trouble has come within minutes, this time included. */
  repeats: number
  /** Null where the dictionary does not know the code. */
  level: number | null
  /** `仓位过温 · 4号仓`; of a task what it is. */
  what: string
  /** Empty where it is about no device. */
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
  /** Devices that went offline, and that are back; tasks that were paused or have ended. */
  offline: number
  online: number
  tasks: number
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

/** Signs between words, as the language of the message has them. */
const isEnglish = () => languageNow() === 'en'
const comma = () => (isEnglish() ? ', ' : '，')
const colon = () => (isEnglish() ? ': ' : '：')
const bracketed = (title: string) => (isEnglish() ? `[${title}] ` : `【${title}】`)

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
  link: (label, address) => `${label}${colon()}${address}`,
  plain: (text) => text.replace(/\s+/g, ' '),
}

const levelName = (level: number | null) =>
  said(level === null ? '未定级' : (alarmLevelNames[level] ?? '未定级'))
const deviceOf = ({ deviceName, deviceCode }: NoticeEntry) =>
  deviceName === null ? deviceCode : `${deviceName} ${deviceCode}`
/** The product's own words, and names while they are those with which an installation starts. */
export function whatOf({ kind, what }: Pick<NoticeEntry, 'kind' | 'what'>): string {
  if (!isEnglish()) return what
  if (kind !== 'alarm') return said(what)
  const [name = '', ...meanings] = what.split(' · ')
  return [seededName(name), ...meanings.map(seededMeaning)].join(' · ')
}
/** Of alarms alone. */
const alarmsOf = ({ raisedByLevel, recovered }: NoticeMessage) =>
  [...raisedByLevel.values()].reduce((sum, count) => sum + count, recovered)
const countOf = (message: NoticeMessage) =>
  alarmsOf(message) + message.offline + message.online + message.tasks

/** The gravest level that was raised; null where nothing was raised. */
export function gravestOf({ raisedByLevel }: NoticeMessage): number | null {
  const levels = [...raisedByLevel.keys()].map((level) => level ?? 4)
  return levels.length === 0 ? null : Math.min(...levels)
}

const lineStates: Record<NotifyEvent, (level: string) => string> = {
  raised: (level) => level,
  repeated: (level) => level,
  levelRaised: (level) => said(`${level}（加重）`),
  returned: (level) => said(`${level}（搁置到期）`),
  escalated: (level) => said(`${level}（无人确认）`),
  recovered: () => said('恢复'),
  deviceOffline: () => said('离线'),
  deviceOnline: () => said('恢复在线'),
  taskPaused: () => said('暂停'),
  taskEnded: () => said('结束'),
}
const singleTitles: Record<NotifyEvent, (level: string) => string> = {
  raised: (level) => said(`${level}告警`),
  repeated: (level) => said(`${level}告警`),
  levelRaised: (level) => said(`${level}告警加重`),
  returned: (level) => said(`${level}告警搁置到期`),
  escalated: (level) => said(`${level}告警无人确认`),
  recovered: () => said('告警恢复'),
  deviceOffline: () => said('设备离线'),
  deviceOnline: () => said('设备恢复在线'),
  taskPaused: () => said('任务暂停'),
  taskEnded: () => said('任务结束'),
}
/** How often the trouble came, where it came more than once. */
const timesOf = ({ repeats }: NoticeEntry) => (repeats > 1 ? said(`（${repeats} 次）`) : '')

/** One line without markup. */
export function titleOf(message: NoticeMessage): string {
  if (message.letter) return message.letter.title
  const [only] = message.entries
  if (only && countOf(message) === 1) {
    const subject = only.kind === 'device' ? deviceOf(only) : whatOf(only)
    return `${bracketed(singleTitles[only.event](levelName(only.level)))}${subject}${timesOf(only)}`
  }
  const { escalated, recovered, offline, online, tasks } = message
  const alarms = alarmsOf(message)
  const devices = [
    ...(offline > 0 ? [said(`设备离线 ${offline} 台`)] : []),
    ...(online > 0 ? [said(`恢复在线 ${online} 台`)] : []),
    ...(tasks > 0 ? [said(`任务 ${tasks} 个`)] : []),
  ]
  if (alarms === 0) return bracketed(devices.join(comma())).trim()
  const levels = [...message.raisedByLevel].toSorted(([a], [b]) => (a ?? 9) - (b ?? 9))
  const parts = levels.map(([level, count]) => `${levelName(level)} ${count}`)
  if (escalated > 0) parts.push(said(`其中无人确认 ${escalated}`))
  if (recovered > 0) parts.push(said(`已恢复 ${recovered}`))
  return said(`【告警 ${alarms} 条】${[...parts, ...devices].join(comma())}`)
}

/** What a short message has room for: no link, and no sign that looks like one, which services refuse. */
export function shortOf(message: NoticeMessage): Record<'type' | 'name' | 'device' | 'count', string> {
  const [first] = message.entries
  const count = countOf(message)
  const isOne = first !== undefined && count === 1
  const type = first ? singleTitles[first.event](levelName(first.level)) : said('通知')
  const name = isOne ? `${whatOf(first)}${timesOf(first)}` : said(`${first ? whatOf(first) : ''} 等`)
  return {
    type: shortened(type),
    name: shortened(name),
    device: shortened(first && first.deviceCode !== '' ? first.deviceCode : '—'),
    count: String(count),
  }
}

const shortLength = 20
const shortened = (text: string) =>
  text
    .replace(/https?:/gi, '')
    .replace(/[.:/\\@【】]/g, '·')
    .slice(0, shortLength)
    .trim() || '—'

const linkLabels: Record<SubjectKind, () => string> = {
  alarm: () => said('查看告警'),
  device: () => said('查看设备'),
  upgrade: () => said('查看任务'),
  batch: () => said('查看任务'),
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
    const timeLabel =
      only.event === 'recovered' || only.event === 'deviceOnline' ? said('恢复') : said('发生')
    return [
      ...(only.deviceCode === '' ? [] : [said(`设备：${plain(deviceOf(only))}`)]),
      ...(only.place === '' ? [] : [said(`位置：${plain(seededName(only.place))}`)]),
      `${timeLabel}${colon()}${formatDateTime(only.at)}`,
      link(linkLabels[only.kind](), only.link),
    ].join(separator)
  }
  const count = countOf(message)
  const lastLine = (left: number) =>
    left > 0
      ? said(`另有 ${left} 条，${link(said('查看全部'), message.link)}`)
      : link(said('查看全部'), message.link)
  const room = limitBytes - Buffer.byteLength(separator + lastLine(count))
  const lines: string[] = []
  let usedBytes = 0
  for (const entry of message.entries) {
    const state = lineStates[entry.event](levelName(entry.level))
    const device = entry.deviceCode === '' ? '' : `${comma()}${plain(deviceOf(entry))}`
    const line = `${strong(state)} ${plain(whatOf(entry))}${timesOf(entry)}${device}${comma()}${formatDateTime(entry.at)}`
    const bytes = Buffer.byteLength(line + separator)
    if (usedBytes + bytes > room) break
    lines.push(line)
    usedBytes += bytes
  }
  return [...lines, lastLine(count - lines.length)].join(separator)
}
