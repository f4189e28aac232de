// The words for a batch's devices that its page and its Excel file share.
import type { BatchDeviceState } from './parameterBatches.ts'
import { parameterOf } from './parameters.ts'

export const batchDeviceStateNames: Record<BatchDeviceState, string> = {
  held: '待继续',
  waiting: '等待',
  sent: '已下发',
  confirming: '待上报',
  succeeded: '成功',
  failed: '失败',
  refused: '设备拒绝',
  expired: '超期',
  skipped: '跳过',
  stopped: '已停止',
}

export const batchDeviceFieldNames = {
  device: '设备编号',
  operator: '运营商',
  region: '地区',
  deviceState: '状态',
  reason: '原因',
  isTrial: '试行',
  attempts: '失败次数',
  value: '目标值',
  former: '原值',
  current: '当前值',
  changeTime: '更新时间',
} as const

/** Devices name a parameter by its id: `不支持的参数：02121006` becomes `不支持的参数：过温点（02121006）`. */
export const namedReason = (reason: string): string =>
  reason.replace(/(?<!\d)\d{8}(?!\d)/g, (id) => {
    const parameter = parameterOf(id)
    return parameter ? `${parameter.name}（${id}）` : id
  })
