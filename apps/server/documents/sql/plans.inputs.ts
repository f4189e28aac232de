import type { Endpoint } from '@voltkeep/contract'

/** Of the rows that plans.fill.ts writes. */
const needed: Record<string, Record<string, unknown>> = {
  listBatchDevices: { id: '1' },
  listBatchLog: { id: '1' },
  listDeliveries: { adId: '1' },
  listDevicesByBoard: { pcbCode: 'PCB1' },
  listDevicesByPartType: { partType: 'PART_TYPE_EC_MASTER' },
  listMappedMessages: { mappingId: '1' },
  listUpgradeTargets: { taskId: '1' },
  listUpgradeTransitions: { taskId: '1' },
  trackBattery: { code: 'BAT1' },
}

/** What a list cannot do without. A range of time begins in the month before, so that it always has two partitions. */
export function inputOf(name: string, { input }: Endpoint): Record<string, unknown> {
  const fields = Object.keys((input as { shape?: object }).shape ?? {})
  const range = fields.includes('startTime') ? { startTime: lastMonth(), endTime: moment(new Date()) } : {}
  return { pageNum: 1, pageSize: 20, ...range, ...needed[name] }
}

function lastMonth(): string {
  const now = new Date()
  return moment(new Date(now.getFullYear(), now.getMonth(), 0))
}

function moment(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} 23:59:59`
}
