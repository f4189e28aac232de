import {
  type BatchCounts,
  type BatchDeviceRow,
  type BatchDeviceState,
  type BatchLogRow,
  batchDeviceStates,
  type ParameterBatchPreview,
  type ParameterBatchRow,
} from '@voltkeep/contract/parameterBatches'
import { describeParameterValue, lampsParameterId } from '@voltkeep/contract/parameters'
import { leftOutLine } from '../../ui/work/leftOut.ts'
import { openIn, type Share, sharesBy } from '../../ui/work/shares.ts'
import { batchTexts } from './parameterBatches.texts.ts'

const shareOf: Record<BatchDeviceState, Share> = {
  held: 'open',
  waiting: 'open',
  sent: 'underWay',
  confirming: 'underWay',
  succeeded: 'good',
  failed: 'failed',
  refused: 'failed',
  expired: 'failed',
  skipped: 'leftOut',
  stopped: 'leftOut',
}
export const sharesOf = sharesBy(shareOf)

export const isFailed = (state: BatchDeviceState) => shareOf[state] === 'failed'

/** Those in the Excel export, which a retry tries again. */
export const failedCount = (counts: BatchCounts) => sharesOf(counts).failed

export const openCount = (counts: BatchCounts) => openIn(sharesOf(counts))

const ranks: readonly Share[] = ['failed', 'open', 'underWay', 'good', 'leftOut']
/** The states that at least one device has: failures first, then unfinished ones, then the rest. */
export function statesInSight(counts: BatchCounts): BatchDeviceState[] {
  const rank = (state: BatchDeviceState) => ranks.indexOf(shareOf[state])
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
  return leftOutLine(
    [...skipped].sort((one, other) => other.devices - one.devices),
    batchTexts.preview.skipped,
    ({ reason }) => batchTexts.skips[reason],
  )
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
