// The rules of 现在要处理 on the home page: which figures become a line, and in what order. TodoList renders them.
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { longOfflineHours } from '@voltkeep/contract/devices'
import type { Overview } from '@voltkeep/contract/overview'
import type { BatchTrialShown, ParameterBatchRow } from '@voltkeep/contract/parameterBatches'
import { lowStock } from '@voltkeep/contract/stock'
import type { UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { formatCount, formatShare } from '../../../lib/format.ts'
import {
  alarmPage,
  batchPage,
  devicePage,
  longOfflineSearch,
  lowStockSearch,
  offlineSearch,
  upgradePage,
} from '../overview.links.ts'
import { overviewTexts } from '../overview.texts.ts'
import { sinceWord } from '../overview.words.ts'

const words = overviewTexts.todo

export interface Todo {
  key: string
  /** The alarm level whose sign is shown; null for an offline device, or a task that waits for a user. */
  level: number | null
  text: string
  count: string | null
  beside?: string
  /** The device concerned, and since when. */
  device?: string
  since?: string
  page: string
  search: object
}

/** An operator or region has an outage from this number and this share of its devices offline. */
const outageDevices = 5
const outageShare = 0.3
const outagesShown = 2
/** A growth of the offline count is listed from this share of the fleet, and from this number. */
const grownShare = 0.01
const grownDevices = 5

const devicesShown = 6

/**
 * What needs attention now, the most severe first. Critical alarms are listed by device, as far as they have been
 * read.
 */
export function todosOf(
  overview: Overview,
  tasks: readonly UpgradeTaskRow[],
  critical: readonly AlarmRow[] = [],
  failed: readonly ParameterBatchRow[] = [],
  waiting: readonly ParameterBatchRow[] = [],
): Todo[] {
  const {
    activeAlarms,
    change,
    longOfflineCount,
    lowStockCount,
    neverCount,
    unknownCodes,
    regions,
    operators,
  } = overview
  const countOf = (level: number) => activeAlarms.find((each) => each.level === level)?.count ?? 0
  const ofLevel = (level: 1 | 2): Todo[] =>
    countOf(level) === 0
      ? []
      : [
          {
            key: `level${level}`,
            level,
            text: words.level[level],
            count: `${formatCount(countOf(level))} ${overviewTexts.unitAlarms}`,
            page: alarmPage,
            search: { alarmLevel: level },
          },
        ]
  const outages = <Row extends Overview['regions'][number] | Overview['operators'][number]>(
    rows: readonly Row[],
    todoOf: (row: Row) => Pick<Todo, 'key' | 'text' | 'search'>,
  ): Todo[] =>
    rows
      .filter(({ offlineCount, onlineCount }) => isOutage(offlineCount, onlineCount))
      .slice(0, outagesShown)
      .map((row) => ({
        ...todoOf(row),
        level: null,
        count: `${formatCount(row.offlineCount)} ${overviewTexts.unitDevices}`,
        beside: words.ofShare(formatShare(row.offlineCount, row.offlineCount + row.onlineCount)),
        page: devicePage,
      }))
  const grown = change?.offlineCount ?? 0
  const connected = overview.onlineCount + overview.offlineCount
  return [
    ...(critical.length > 0 ? ofDevices(critical, countOf(1)) : ofLevel(1)),
    ...tasks
      .filter(({ state }) => state === 'paused')
      .map((task) => ({
        key: `task${task.id}`,
        level: null,
        text: words.paused(`${task.partTypeName} ${task.version}`),
        count: null,
        ...(task.pause ? { beside: pauseOf(task.pause) } : {}),
        page: upgradePage,
        search: { task: task.id },
      })),
    ...waiting.map(({ id, code, name, counts, trial }) => ({
      key: `trial${id}`,
      level: null,
      text: words.waitingBatch(name ?? code),
      count: `${formatCount(counts.held)} ${overviewTexts.unitDevices}`,
      ...(trial ? { beside: trialOf(trial) } : {}),
      page: batchPage,
      search: { batch: id },
    })),
    ...failed.map(({ id, code, counts }) => ({
      key: `batch${id}`,
      level: null,
      text: words.failedBatch(code),
      count: `${formatCount(failedOf(counts))} ${overviewTexts.unitDevices}`,
      page: batchPage,
      search: { batch: id },
    })),
    ...ofLevel(2),
    ...outages(regions.length > 1 ? regions : [], ({ code, name }) => ({
      key: `region${code}`,
      text: words.region(name),
      search: { ...offlineSearch, regionCode: code },
    })),
    ...outages(operators, ({ id, name, organizationId }) => ({
      key: `operator${id}`,
      text: words.operator(name),
      search: { ...offlineSearch, organizationId, operatorId: id },
    })),
    ...(lowStockCount > 0
      ? [
          {
            key: 'lowStock',
            level: null,
            text: words.lowStock(lowStock),
            count: `${formatCount(lowStockCount)} ${overviewTexts.unitDevices}`,
            page: devicePage,
            search: lowStockSearch,
          },
        ]
      : []),
    ...(change && grown >= Math.max(grownDevices, connected * grownShare)
      ? [
          {
            key: 'grown',
            level: null,
            text: words.offlineGrown(sinceWord(change.since, overview.readTime)),
            count: `${formatCount(grown)} ${overviewTexts.unitDevices}`,
            page: devicePage,
            search: offlineSearch,
          },
        ]
      : []),
    ...(longOfflineCount > 0
      ? [
          {
            key: 'longOffline',
            level: null,
            text: words.longOffline(longOfflineHours),
            count: `${formatCount(longOfflineCount)} ${overviewTexts.unitDevices}`,
            page: devicePage,
            search: longOfflineSearch,
          },
        ]
      : []),
    ...(countOf(0) > 0
      ? [
          {
            key: 'unknown',
            level: 0,
            text: words.unknownAlarms,
            count: `${formatCount(countOf(0))} ${overviewTexts.unitAlarms}`,
            page: alarmPage,
            search: { semaphoreCode: unknownCodes.join(',') },
          },
        ]
      : []),
    ...(neverCount > 0
      ? [
          {
            key: 'never',
            level: null,
            text: words.never,
            count: `${formatCount(neverCount)} ${overviewTexts.unitDevices}`,
            page: devicePage,
            search: { statuses: 1, isOnline: 2 },
          },
        ]
      : []),
  ]
}

/** Why a task has paused, in a few words: the task's page has the figures. */
const pauseOf = ({ gate, note }: NonNullable<UpgradeTaskRow['pause']>) =>
  gate ? words.gate(formatCount(gate.alarmed), formatCount(gate.verified)) : note

/** What a trial has come to, in a few words: the batch's page has the reasons and the alarms. */
function trialOf({ counts: { total, succeeded } }: BatchTrialShown): string {
  const wrong = total - succeeded
  return wrong > 0
    ? words.trialFailed(formatCount(total), formatCount(wrong))
    : words.trial(formatCount(total))
}

/** The number of devices that did not apply the settings of a batch. */
export const failedOf = ({ failed, refused, expired }: ParameterBatchRow['counts']) =>
  failed + refused + expired

/**
 * The devices with critical alarms, the newest first; alarms of `total` beyond those read are counted in a last line.
 */
function ofDevices(alarms: readonly AlarmRow[], total: number): Todo[] {
  const devices = [...Map.groupBy(alarms, ({ code }) => code)].slice(0, devicesShown)
  const rest = total - devices.reduce((sum, [, own]) => sum + own.length, 0)
  const todos = devices.map(([code, own]) => {
    const [alarm] = own as [AlarmRow, ...AlarmRow[]]
    const place = alarm.regionName.split(' / ').at(-1)
    return {
      key: `device${code}`,
      level: 1,
      text: alarm.meaning ? `${alarm.semaphoreName} · ${alarm.meaning}` : alarm.semaphoreName,
      count: own.length > 1 ? `${own.length} ${overviewTexts.unitAlarms}` : null,
      device: code,
      ...(place ? { beside: place } : {}),
      since: alarm.occurrenceTime,
      page: alarmPage,
      search: own.length > 1 ? { code, alarmLevel: 1 } : { open: alarm.id, at: alarm.occurrenceTime },
    }
  })
  if (rest <= 0) return todos
  return [
    ...todos,
    {
      key: 'level1',
      level: 1,
      text: words.otherCritical,
      count: `${formatCount(rest)} ${overviewTexts.unitAlarms}`,
      page: alarmPage,
      search: { alarmLevel: 1 },
    },
  ]
}

const isOutage = (offline: number, online: number) =>
  offline >= outageDevices && offline >= (offline + online) * outageShare
