/**
 * Codes that the server itself depends on: it stores them, sends them to devices or compares with them. The
 * installation may change their names; the codes stay.
 */
const fixedCodes: Record<string, readonly string[]> = {
  SEMAPHORE_TYPE: ['ALARM', 'EVENT', 'PARAM', 'STATUS'],
  ALARM_ANALYSIS_TYPE: ['BIT', 'VALUE'],
  ALARM_LEVEL: ['1', '2', '3', '4'],
  UPGRADE_STATUS: ['0', '1', '2'],
  BUSINESS_STATUS: ['1', '2', '3'],
  ONLINE_STATUS: ['0', '1'],
  LAMP_CODE: ['0', '1', '2', '3', '4', '5', '6', '7', '8'],
  DOOR_FEEDBACK: ['0', '1'],
  // The ids of batch settings.
  PARAM: Array.from({ length: 11 }, (_, index) => `021210${String(index + 1).padStart(2, '0')}`),
}

export const isFixed = ({ type, code }: { type: string; code: string }) =>
  fixedCodes[type]?.includes(code) ?? false

/** The names of the enumerations; those here can be chosen without having an entry. */
const enumerationNames: Record<string, string> = {
  EQUIP_CLASSIFY: '设备类别',
  SEMAPHORE_TYPE: '信号类型',
  ALARM_ANALYSIS_TYPE: '告警解析方式',
  ALARM_LEVEL: '告警级别',
  UPGRADE_STATUS: '升级任务状态',
  USER_TYPE: '用户类型',
  BUSINESS_STATUS: '业务状态',
  ONLINE_STATUS: '在线状态',
  LAMP_CODE: '指示灯编码',
  DOOR_FEEDBACK: '门锁反馈',
  APP_ADDR: '应用下载地址',
}

export interface DictionaryType {
  type: string
  /** The type itself where nobody has named it. */
  name: string
  count: number
}

/**
 * The types to choose from, semaphores first: each SEMAPHORE_TYPE, each enumeration that the server knows,
 * and what else is in use.
 */
export function typesOf(
  semaphoreTypes: readonly { code: string; name: string }[],
  counts: ReadonlyMap<string, number>,
): DictionaryType[] {
  const named = new Map([
    ...semaphoreTypes.map(({ code, name }) => [code, name] as const),
    ...Object.entries(enumerationNames),
  ])
  const others = [...counts.keys()].filter((type) => !named.has(type)).sort()
  for (const type of others) named.set(type, type)
  return [...named].map(([type, name]) => ({ type, name, count: counts.get(type) ?? 0 }))
}
