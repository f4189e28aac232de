import { texts } from '../../lib/texts/index.ts'

export const ocppCodeTexts = {
  measure: '个',
  fields: {
    keyword: '关键字',
    keywordHint: '厂家、故障码或说明',
    vendor: '厂家标识',
    code: '故障码',
    semaphoreCode: '告警编码',
    semaphore: '告警',
    alarmValue: '告警值',
    note: '说明',
    updateTime: '更新时间',
  },
  anyVendor: '所有厂家',
  byConnector: '按连接器',
  vendorHint: '充电桩上报的 vendorId 或厂家名称；留空适用于所有厂家。',
  codeHint: '厂家的 vendorErrorCode，或标准的 errorCode。',
  semaphoreHint: '字典中告警的编码，如 OCPP0003。',
  valueHint: '留空时每个连接器占一位，整机为第 0 位。',
  add: '登记故障码',
  edit: '编辑',
  editTitle: (code: string) => `编辑故障码 ${code}`,
  empty: '还没有登记故障码',
  emptyHint: '没有登记的故障码照样告警，登记后有名称和等级。',
  emptyFiltered: '没有符合条件的故障码',
  unknown: {
    title: (count: number) => `${count} 个故障码还没有登记`,
    explain: '登记',
    told: (code: string, vendor: string, info: string | null) =>
      [[vendor, code].filter(Boolean).join(' '), info].filter(Boolean).join('：'),
    often: (count: number, last: string) => `${count} 次，最近 ${last}`,
  },
  remove: {
    ...texts.removal,
    title: '删除故障码',
    ask: (code: string) => `将删除故障码 ${code} 的登记。`,
    warn: '充电桩此后上报该故障码时，按未登记的故障码告警。',
  },
}
