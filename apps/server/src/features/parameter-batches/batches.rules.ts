import {
  isSameParameterValue,
  type ParameterEntry,
  type ParamSetRule,
  parameterName,
} from '@voltkeep/contract'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { endMoment } from '../../platform/process/clock.ts'
import type { PlanSummary, Wanted } from './targets/index.ts'

const dayMs = 86_400_000
/** How long a batch lasts where its form names no end; devices that are away longer are left out. */
export const usualSpanMs = 3 * dayMs
/** With a trial, which may wait for somebody over a weekend. */
const trialSpanMs = 7 * dayMs
const longestSpanMs = 30 * dayMs

/** When the batch is over. Refuses (400) an end that is past or too far. */
export function endOf({ endTime }: ParamSetRule, nowMs: number, hasTrial: boolean): Date {
  if (endTime === undefined) return new Date(nowMs + (hasTrial ? trialSpanMs : usualSpanMs))
  const end = endMoment(endTime)
  const wrong = (message: string) => refuseInput({ field: 'paramSetRule.endTime', message })
  if (end.getTime() <= nowMs) wrong('结束时间应晚于当前时间')
  if (end.getTime() > nowMs + longestSpanMs) wrong('结束时间不能超过 30 天')
  return end
}

export const wantedOf = (entries: readonly ParameterEntry[]): Record<string, string> =>
  Object.fromEntries(entries.map(({ id, value }) => [id, value]))

/** The parameters of a batch as its readers see them, by id. */
export const paramOf = (wanted: Readonly<Record<string, string | null>>) =>
  Object.entries(wanted)
    .map(([id, value]) => ({ id, name: parameterName(id), value }))
    .sort((a, b) => a.id.localeCompare(b.id))

/** How many former values a preview names for each parameter. */
const namedValues = 10

/**
 * The effect of a plan, by parameter. `wanted`: the values of all devices; null for a restoration, which has others for
 * each.
 */
export function previewOf(
  { changes, ...summary }: PlanSummary,
  wanted: Wanted | null,
  unknownCodes: string[],
  trial: { devices: number; offline: number; unknownCodes: string[] } | null = null,
) {
  const rest = trial === null ? 0 : summary.devices - trial.devices
  const ids = [...new Set(wanted ? Object.keys(wanted) : changes.map(({ id }) => id))].sort()
  return {
    ...summary,
    unknownCodes,
    trial: trial && rest > 0 ? { devices: trial.devices, offline: trial.offline, rest } : null,
    trialUnknownCodes: trial?.unknownCodes ?? [],
    parameters: ids.map((id) => {
      const ofOne = changes.filter((change) => change.id === id)
      const devicesOf = (some: typeof ofOne) => some.reduce((sum, { devices }) => sum + devices, 0)
      const reported = ofOne.filter(({ former }) => former !== null)
      const changing = reported.filter(
        ({ former, value }) => former !== null && !isSameParameterValue(former, value),
      )
      const from = new Map<string, number>()
      for (const { former, devices } of changing)
        from.set(former as string, (from.get(former as string) ?? 0) + devices)
      return {
        id,
        name: parameterName(id),
        value: wanted?.[id] ?? null,
        changes: devicesOf(changing),
        same: devicesOf(reported) - devicesOf(changing),
        unknown: devicesOf(ofOne) - devicesOf(reported),
        from: [...from]
          .map(([value, devices]) => ({ value, devices }))
          .sort((a, b) => b.devices - a.devices)
          .slice(0, namedValues),
      }
    }),
  }
}
