// Changes in the operation log as text: names of fields and texts of values.
import { businessStatusNames } from './devices.ts'
import { formatDateTime } from './fields.ts'
import { type DeviceProtocol, protocolNames } from './protocols.ts'

/** Chinese names of the fields in recorded changes; a field without an entry is shown by its own name. */
const fieldNames: Record<string, string> = {
  id: '编号',
  action: '操作',
  reason: '原因',
  compartment: '仓位',
  batteryCode: '电池编号',
  code: '编码',
  protocolIdentity: '接入标识',
  topic: '主题',
  ruleCount: '规则数',
  commandCount: '命令数',
  mappingVersion: '映射版本',
  vendor: '厂家标识',
  alarmValue: '告警值',
  semaphoreCode: '告警编码',
  name: '名称',
  note: '说明',
  remark: '备注',
  type: '类型',
  path: '路径',
  url: '地址',
  icon: '图标',
  orderNum: '排序',
  openType: '打开方式',
  parent: '上级',
  parentName: '上级',
  parentId: '上级编号',
  parentCode: '上级编码',
  address: '地址',
  region: '地区',
  regions: '地区',
  operator: '运营商',
  operators: '运营商',
  organization: '组织',
  organizationName: '组织',
  organizationId: '组织编号',
  model: '设备型号',
  equipModel: '设备型号',
  equipModelName: '设备型号',
  equipType: '设备类型',
  equipTypes: '设备类型',
  equipTypeName: '设备类型',
  equipClassify: '设备类别',
  classify: '设备类别',
  partType: '部件类型',
  partTypes: '部件',
  partTypeName: '部件类型',
  addrCount: '数量',
  businessStatus: '业务状态',
  userName: '用户名称',
  loginName: '登录名',
  phone: '手机号',
  userType: '用户类型',
  roles: '角色',
  roleIds: '角色',
  roleNames: '角色',
  roleCount: '使用的角色数',
  menus: '菜单',
  menuIds: '菜单',
  menuCount: '菜单数',
  functionCodes: '功能权限',
  isEnabled: '启用',
  mustChangePassword: '须修改密码',
  networks: '网段',
  overlapHours: '原密钥保留小时数',
  expireTime: '到期时间',
  functions: '功能权限',
  authorities: '数据权限',
  authorityEntities: '数据权限',
  O: '运营商',
  ET: '设备类型',
  R: '地区',
  alarmLevel: '告警级别',
  handling: '处理状态',
  assigneeName: '负责人',
  causeName: '原因',
  skipped: '未处理数',
  analysisType: '解析方式',
  definitions: '位定义',
  bitPosition: '位',
  value: '值',
  recoveryMethod: '恢复方式',
  status: '状态',
  fileName: '文件',
  sha256: 'SHA-256',
  pcbCode: '板卡编号',
  pcbName: '板卡名称',
  equipModels: '设备型号',
  isRelease: '正式版',
  isAutoUpgrade: '自动升级',
  versionNote: '版本说明',
  zh: '中文',
  en: '英文',
  de: '德文',
  fr: '法文',
  count: '数量',
  codes: '设备编号',
  softwareVersionIds: '软件版本编号',
  softwareFiles: '软件文件',
  upgradeTime: '升级时间',
  upgradeRule: '升级规则',
  devices: '设备范围',
  filters: '条件',
  added: '新增数',
  removed: '移除数',
  retried: '重试项数',
  stopped: '停止项数',
  upgradeCount: '下发次数',
  interval: '间隔（分钟）',
  deviceCount: '设备数',
  trial: '试行台数',
  autoMinutes: '自动继续（分钟）',
  continued: '继续台数',
  origin: '恢复自批次',
  rollbackTask: '回退任务',
  stage: '阶段',
  stages: '阶段',
  percent: '比例（%）',
  soakMinutes: '观察（分钟）',
  pacePerMinute: '每分钟台数',
  failurePercent: '失败率上限（%）',
  minSample: '最少样本数',
  alarmLevels: '告警级别',
  attempts: '尝试次数',
  intervalMinutes: '重试间隔（分钟）',
  stallMinutes: '无响应时限（分钟）',
  verifyMinutes: '版本确认时限（分钟）',
  skipGate: '不检查新告警',
  equipId: '设备编号',
  equipCode: '设备编号',
  equipTypeId: '设备类型编号',
  equipModelId: '设备型号编号',
  operatorId: '运营商编号',
  regionCode: '地区编码',
  statuses: '业务状态',
  isOnline: '在线状态',
  isAll: '全部设备',
  semaphoreName: '名称或编码',
  startTime: '起始时间',
  endTime: '截止时间',
  user: '用户',
  call: '操作',
  target: '对象',
  isOk: '结果',
  result: '结果',
  adName: '广告名称',
  adStartTime: '开始时间',
  adEndTime: '结束时间',
  days: '有效天数',
  approval: '申请编号',
  askedBy: '申请人',
  agreedBy: '同意人',
  autoUpgradeBy: '设为自动升级的人',
  versionName: '版本名称',
  versionCode: '版本号',
  level: '级别',
  kind: '类型',
  protocol: '接入协议',
  groupBy: '汇总方式',
  every: '周期',
  hour: '发送时间（点）',
  timeZone: '时区',
  repeat: '重复',
  isOneShot: '本次结束即止',
  semaphoreCodes: '信号编码',
  issuer: '颁发者地址',
  clientId: '客户端 ID',
  scopes: '授权范围',
  rules: '允许登录',
  startsOn: '开始日期',
  handoverAt: '交接时间',
  lengthHours: '每班时长（小时）',
  members: '值班人员',
  exceptions: '调班',
  compartmentCount: '仓位数',
  compartmentColumns: '列数',
  key: '读数键',
  unit: '单位',
  decimals: '小数位数',
  plausibleMin: '可信下限',
  plausibleMax: '可信上限',
  normalMin: '正常下限',
  normalMax: '正常上限',
  group: '分组',
  keepsHistory: '保存历史',
  deadband: '死区',
  longestSeconds: '最长间隔（秒）',
  openCount: '未处理告警数',
  fullName: '全称',
  loginTime: '登录时间',
}

const menuTypeNames: Record<string, string> = { M: '目录', C: '页面', F: '功能' }

export interface ShownChange {
  field: string
  label: string
  /** Null where that side does not have the field. */
  before: string | null
  after: string | null
}

type Values = Record<string, unknown> | null

const isoTime = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

/** A value with more fields, such as a rule, is shown with a line per field. */
const readInOneLine = 4

/** Puts a name or a value of the product's into the language of the reader; what people have written is never asked about. */
export type Say = (text: string) => string
const asItIs: Say = (text) => text

/** The fields that a recorded change altered, as text. For a creation or a deletion: all fields. */
export function shownChange(before: Values, after: Values, say: Say = asItIs): ShownChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.flatMap((field) => {
    const was = shown(field, before?.[field], say)
    const is = shown(field, after?.[field], say)
    return was === is ? [] : [{ field, label: nameOf(field, say), before: was, after: is }]
  })
}

/** The filters of an export in one line: `在线状态 在线，地区编码 440305`. */
export function shownFilters(filters: Readonly<Record<string, unknown>>): string {
  return Object.entries(filters)
    .map(([field, value]) => [nameOf(field, asItIs), shown(field, value, asItIs)])
    .filter(([, value]) => value !== null)
    .map((words) => words.join(' '))
    .join('，')
}

function nameOf(field: string, say: Say): string {
  const name = fieldNames[field]
  return name === undefined ? field : say(name)
}

function shown(field: string, value: unknown, say: Say): string | null {
  const known = (name: string | undefined) => (name === undefined ? String(value) : say(name))
  if (value === undefined || value === null || value === '') return null
  // Older builds recorded times in ISO format.
  if (typeof value === 'string' && isoTime.test(value)) return formatDateTime(new Date(value))
  if (typeof value === 'boolean') return say(value ? '是' : '否')
  if (field === 'isOnline') return known(['离线', '在线', '未接入'][Number(value)])
  if (field === 'isAll') return say(Number(value) === 1 ? '是' : '否')
  if (field === 'isOk') return say(Number(value) === 1 ? '成功' : '拒绝')
  if ((field === 'businessStatus' || field === 'statuses') && !Array.isArray(value))
    return known(businessStatusNames[value as 1])
  if (field === 'protocol') return known(protocolNames[value as DeviceProtocol])
  if (field === 'type' && typeof value === 'string') return known(menuTypeNames[value])
  if (field === 'openType') return say(value === 1 ? '外部链接' : '内部页面')
  if (Array.isArray(value)) {
    const separator = value.some((one) => typeof one === 'object') ? '\n' : '、'
    return value.map((one) => shown(field, one, say) ?? '').join(separator) || null
  }
  if (typeof value === 'object') {
    const words = Object.entries(value).map(
      ([key, one]) => `${nameOf(key, say)} ${shown(key, one, say) ?? '—'}`,
    )
    return words.join(words.length > readInOneLine ? '\n' : '，')
  }
  return String(value)
}
