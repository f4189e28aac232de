// A report as a mail: the figures in words, and the same sheet that a user exports.
import {
  type AlarmGroup,
  type AlarmReport,
  type AvailabilityGroup,
  type AvailabilityReport,
  alarmGroupNames,
  alarmLevelNames,
  alarmTargets,
  availabilityGroupNames,
  type InputOf,
  type ReportKind,
} from '@voltkeep/contract'
import { spreadsheet } from '../../../platform/files/sheets/spreadsheet.ts'
import { languageNow, said } from '../../../platform/process/language/speech.ts'
import { availabilityLines, availabilitySheet } from '../availability/availability.export.ts'
import { qualityLines, qualitySheet } from '../quality/quality.export.ts'

export interface ReportLetter {
  title: string
  text: string
  /** The sheet; null where it is larger than mail systems take. */
  file: { name: string; content: Buffer } | null
}

export const kindNames: Record<ReportKind, string> = { alarm: '告警质量', availability: '可用率' }

/** Groups in the text; the sheet has all of them. */
const groupsShown = 20
/** Usual limits are 20 MB and more, and base64 adds a third. */
const fileLimitBytes = 10_000_000

export interface LetterHead {
  /** `2026-11-01`; both days are included. */
  startDay: string
  endDay: string
  zone: string
  /** Where the console shows it, after signing in. */
  link: string
  /** Of the subscription. */
  name: string
  ownerName: string
}

export async function qualityLetter(
  head: LetterHead,
  report: InputOf<typeof AlarmReport>,
  groupBy: AlarmGroup,
): Promise<ReportLetter> {
  const { total } = report
  const state = (value: number, good: number) => (value > good ? '超出' : '达标')
  const metric = (name: string, value: number, good: number, shown: (value: number) => string) =>
    `${name}：${shown(value)}（目标 ${shown(good)}，${state(value, good)}）`
  const lines = [
    `告警 ${count(total.count)} 条，有告警的运营商 ${count(total.operatorCount)} 个`,
    metric('每天告警数', total.perDay, alarmTargets.perDay.good, decimal),
    metric('每 10 分钟告警数', total.perTenMinutes, alarmTargets.perTenMinutes.good, decimal),
    metric('10 分钟峰值', total.peak, alarmTargets.floodBegins, count),
    metric('告警洪泛的时间占比', total.floodShare, alarmTargets.floodShare, percent),
    metric('最频繁的 10 种告警占比', total.topShare, alarmTargets.topShare, percent),
    metric('抖动的告警', total.chatteringCount, alarmTargets.chattering, count),
    metric('持续超过一天的告警', total.standingCount, alarmTargets.standing, count),
    ...partOf(
      '级别占比',
      report.levels.map(
        (one) => `${alarmLevelNames[one.level] ?? '未定义'}：${count(one.count)} 条，${percent(one.share)}`,
      ),
    ),
    ...partOf(
      alarmGroupNames[groupBy],
      report.rows.map(
        (row) =>
          `${row.name}：${count(row.count)} 条，每天 ${decimal(row.perDay)}，洪泛 ${count(row.floodCount)} 次`,
      ),
      report.rowCount,
    ),
    ...partOf(
      '最频繁的告警',
      report.top.map(
        (one) => `${one.semaphoreName}：${count(one.count)} 条，${percent(one.share)}。${one.advice}`,
      ),
    ),
  ]
  return await letterOf(
    'alarm',
    head,
    lines,
    spreadsheet(qualitySheet, async function* () {
      yield qualityLines(report, groupBy)
    }),
  )
}

export async function availabilityLetter(
  head: LetterHead,
  report: InputOf<typeof AvailabilityReport>,
  groupBy: AvailabilityGroup,
): Promise<ReportLetter> {
  const { total } = report
  const lines =
    total.deviceCount === 0
      ? ['没有接入过的设备']
      : [
          `可用率：${share(total.availability)}，设备 ${count(total.deviceCount)} 台`,
          `可用 ${hours(total.upSeconds)}，不可用 ${hours(total.downSeconds)}，计划内 ${hours(total.plannedSeconds)}，未知 ${hours(total.unknownSeconds)}`,
          `故障 ${count(total.failureCount)} 次，平均故障间隔 ${between(total.daysBetween)}`,
          `恢复用时（中位数 / P90）：${minutes(total.recoverMedian)} / ${minutes(total.recoverP90)}`,
          `确认用时（中位数 / P90）：${minutes(total.ackMedian)} / ${minutes(total.ackP90)}`,
          ...partOf(
            availabilityGroupNames[groupBy],
            report.rows.map(
              (row) =>
                `${row.name}：${share(row.availability)}，不可用 ${hours(row.downSeconds)}，故障 ${count(row.failureCount)} 次`,
            ),
            report.rowCount,
          ),
        ]
  return await letterOf(
    'availability',
    head,
    lines,
    spreadsheet(availabilitySheet(groupBy), async function* () {
      yield availabilityLines(report)
    }),
  )
}

async function letterOf(
  kind: ReportKind,
  { startDay, endDay, zone, link, name, ownerName }: LetterHead,
  lines: readonly string[],
  sheet: AsyncIterable<Uint8Array>,
): Promise<ReportLetter> {
  const period = startDay === endDay ? startDay : said(`${startDay} 至 ${endDay}`)
  const report = said(kindNames[kind])
  const content = await collected(sheet)
  return {
    title: languageNow() === 'en' ? `[${report}] ${period}` : `【${report}】${period}`,
    text: [
      said(`${report} ${period}（按 ${zone} 的整天统计）`),
      '',
      ...lines.map((line) => said(line)),
      '',
      said(content ? '全部数据见附件。' : '数据过多，没有附件，请登录后导出。'),
      said(`查看报表（需登录）：${link}`),
      '',
      said(`本邮件由报表订阅“${name}”发送，数据范围以订阅人 ${ownerName} 的权限为准。`),
    ].join('\n'),
    file: content && {
      name: `${report}_${[...new Set([startDay, endDay])].join('_').replaceAll('-', '')}.xlsx`,
      content,
    },
  }
}

/** The lines of a part under its heading, the first of them alone. */
function partOf(heading: string, lines: readonly string[], all = lines.length): string[] {
  if (lines.length === 0) return []
  const more = all > groupsShown ? [`…… 共 ${count(all)} 个`] : []
  return ['', `■ ${said(heading)}`, ...lines.slice(0, groupsShown), ...more]
}

async function collected(sheet: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of sheet) {
    bytes += part.length
    if (bytes > fileLimitBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const count = (value: number) => value.toLocaleString('en-US')
const decimal = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 2 })
const percent = (value: number) => `${decimal(value * 100)}%`
const share = (value: number | null) => (value === null ? '—' : `${(value * 100).toFixed(3)}%`)
const hours = (seconds: number) => `${decimal(seconds / 3600)} 小时`
/** Days from two of them on, else hours: less than a day would read as none. */
const between = (days: number | null) =>
  days === null || days <= 0 ? '—' : days < 2 ? hours(days * 86_400) : `${decimal(days)} 天`
const minutes = (seconds: number | null) => (seconds === null ? '—' : `${decimal(seconds / 60)} 分钟`)
