import {
  type BatchCounts,
  type BatchDeviceRow,
  type BatchDeviceState,
  type BatchLogRow,
  batchDeviceStates,
  failedBatchDeviceStates,
  type ParameterBatchPreview,
  type ParameterBatchRow,
} from '@voltkeep/contract/parameterBatches'
import { describeParameterValue, lampsParameterId, parameterOf } from '@voltkeep/contract/parameters'
import { formatCount } from '../../lib/format.ts'
import { batchTexts } from './parameterBatches.texts.ts'

const failed: readonly BatchDeviceState[] = failedBatchDeviceStates

export const isFailed = (state: BatchDeviceState) => failed.includes(state)

/** Devices that the Excel file has and that a retry tries again. */
export const failedCount = (counts: BatchCounts) => failed.reduce((sum, state) => sum + counts[state], 0)

/** Devices without a result. */
export const openCount = ({ waiting, sent, confirming }: BatchCounts) => waiting + sent + confirming

/** Devices by what they mean to somebody who watches; the sum of all is `counts.total`. */
export function sharesOf(counts: BatchCounts) {
  return {
    good: counts.succeeded,
    failed: failedCount(counts),
    underWay: counts.sent + counts.confirming,
    open: counts.waiting,
    leftOut: counts.skipped + counts.stopped,
  }
}

/** The states that some device has: what went wrong first, then what is not over, then the rest. */
export function statesInSight(counts: BatchCounts): BatchDeviceState[] {
  const rank = (state: BatchDeviceState) =>
    isFailed(state) ? 0 : state === 'waiting' || state === 'sent' || state === 'confirming' ? 1 : 2
  return batchDeviceStates.filter((state) => counts[state] > 0).sort((one, other) => rank(one) - rank(other))
}

/** `仓位满电SOC → 90%`; where each device gets its own value, `仓位满电SOC → 各设备原值`. */
export function assignmentOf({
  id,
  name,
  value,
}: {
  id: string
  name: string
  value: string | null
}): string {
  return batchTexts.form.assign(
    name,
    value === null ? batchTexts.ownFormer : describeParameterValue(id, value),
  )
}

/** Who is left out and why, the most frequent first: `不设置 12 台：已是该值 10，其他批次设置中 2`. */
export function skipLine(skipped: ParameterBatchPreview['skipped']): string | undefined {
  const some = skipped.filter(({ devices }) => devices > 0).sort((one, other) => other.devices - one.devices)
  if (some.length === 0) return undefined
  const sum = some.reduce((total, { devices }) => total + devices, 0)
  const reasons = some.map(({ reason, devices }) => `${batchTexts.skips[reason]} ${formatCount(devices)}`)
  return `${batchTexts.preview.skipped(formatCount(sum))}：${reasons.join('，')}`
}

/** What a batch sets, in a line: `仓位满电SOC 90%、过温点 60℃`; lamps and restored values by their names only. */
export function parametersLine({ kind, param }: Pick<ParameterBatchRow, 'kind' | 'param'>): string {
  const line = param
    .map(({ id, name, value }) =>
      value === null || id === lampsParameterId ? name : `${name} ${describeParameterValue(id, value)}`,
    )
    .join('、')
  return kind === 'restore' ? `${batchTexts.restoration}：${line}` : line
}

/** What an attempt sent, in a line. */
export const valuesLine = (values: BatchLogRow['values']): string =>
  values.map(({ id, name, value }) => `${name} ${describeParameterValue(id, value)}`).join('、')

/** What changes on a device, in a line: `过温点 65℃ → 60℃`; lamps by their name only. */
export const changesLine = (values: BatchDeviceRow['values']): string =>
  values
    .map(({ id, name, former, value }) => {
      if (id === lampsParameterId) return name
      const before = former === null ? '—' : describeParameterValue(id, former)
      return `${name} ${before} → ${describeParameterValue(id, value)}`
    })
    .join('、')

/** A device says a parameter by its id: `不支持的参数：02121006` is shown as `不支持的参数：过温点（02121006）`. */
export const namedReason = (reason: string): string =>
  reason.replace(/(?<!\d)\d{8}(?!\d)/g, (id) => {
    const parameter = parameterOf(id)
    return parameter ? `${parameter.name}（${id}）` : id
  })
