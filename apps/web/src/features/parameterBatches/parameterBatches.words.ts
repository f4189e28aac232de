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
import { describeParameterValue, lampsParameterId } from '@voltkeep/contract/parameters'
import { formatCount } from '../../lib/format.ts'
import { batchTexts } from './parameterBatches.texts.ts'

const failed: readonly BatchDeviceState[] = failedBatchDeviceStates

export const isFailed = (state: BatchDeviceState) => failed.includes(state)

/** The number of devices that failed: those in the Excel export, which a retry tries again. */
export const failedCount = (counts: BatchCounts) => failed.reduce((sum, state) => sum + counts[state], 0)

/** The number of devices without a result. */
export const openCount = ({ waiting, sent, confirming }: BatchCounts) => waiting + sent + confirming

/** Devices grouped as the progress bar shows them; the sum of all groups is `counts.total`. */
export function sharesOf(counts: BatchCounts) {
  return {
    good: counts.succeeded,
    failed: failedCount(counts),
    underWay: counts.sent + counts.confirming,
    open: counts.waiting,
    leftOut: counts.skipped + counts.stopped,
  }
}

/** The states that at least one device has: failures first, then unfinished ones, then the rest. */
export function statesInSight(counts: BatchCounts): BatchDeviceState[] {
  const rank = (state: BatchDeviceState) =>
    isFailed(state) ? 0 : state === 'waiting' || state === 'sent' || state === 'confirming' ? 1 : 2
  return batchDeviceStates.filter((state) => counts[state] > 0).sort((one, other) => rank(one) - rank(other))
}

/** `仓位满电SOC → 90%`; where the value differs per device, `仓位满电SOC → 各设备原值`. */
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

/** How many devices are left out and why, the most frequent reason first: `不设置 12 台：已是该值 10，其他批次设置中 2`. */
export function skipLine(skipped: ParameterBatchPreview['skipped']): string | undefined {
  const some = skipped.filter(({ devices }) => devices > 0).sort((one, other) => other.devices - one.devices)
  if (some.length === 0) return undefined
  const sum = some.reduce((total, { devices }) => total + devices, 0)
  const reasons = some.map(({ reason, devices }) => `${batchTexts.skips[reason]} ${formatCount(devices)}`)
  return `${batchTexts.preview.skipped(formatCount(sum))}：${reasons.join('，')}`
}

/** The settings of a batch in one line: `仓位满电SOC 90%、过温点 60℃`; of lamps and restored values only the names. */
export function parametersLine({ kind, param }: Pick<ParameterBatchRow, 'kind' | 'param'>): string {
  const line = param
    .map(({ id, name, value }) =>
      value === null || id === lampsParameterId ? name : `${name} ${describeParameterValue(id, value)}`,
    )
    .join('、')
  return kind === 'restore' ? `${batchTexts.restoration}：${line}` : line
}

/** The values that an attempt sent, in one line. */
export const valuesLine = (values: BatchLogRow['values']): string =>
  values.map(({ id, name, value }) => `${name} ${describeParameterValue(id, value)}`).join('、')

/** The changes on a device in one line: `过温点 65℃ → 60℃`; of lamps only the names. */
export const changesLine = (values: BatchDeviceRow['values']): string =>
  values
    .map(({ id, name, former, value }) => {
      if (id === lampsParameterId) return name
      const before = former === null ? '—' : describeParameterValue(id, former)
      return `${name} ${before} → ${describeParameterValue(id, value)}`
    })
    .join('、')
