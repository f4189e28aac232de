// The parameters that batches set: names, valid values and meanings. The form, the server's checks, lists and the
// panel of a cabinet all use this catalogue.
import * as z from 'zod/mini'

/**
 * A parameter; `kind` determines how its value is entered and shown. The bounds of a number are inclusive. `isSafety`: a
 * wrong value endangers people, or takes the devices out of reach for good.
 */
export type Parameter = { id: string; name: string; isSafety?: true } & (
  | { kind: 'contact' | 'lamps' | 'address' }
  | { kind: 'number'; unit: string; min: number; max: number }
)

/** The family of equipment types that the catalogue is for. A device of another one may know some of it, too. */
export const parameterFamily = 'EC'

/** Every parameter that can be set, in the order of their ids. */
export const parameterCatalogue: readonly Parameter[] = [
  { id: '02121001', name: '门锁反馈信号1', kind: 'contact' },
  { id: '02121002', name: '门锁反馈信号2', kind: 'contact' },
  { id: '02121003', name: '门锁反馈信号3', kind: 'contact' },
  { id: '02121004', name: '门锁反馈信号4', kind: 'contact' },
  { id: '02121005', name: '仓位满电SOC', kind: 'number', unit: '%', min: 0, max: 100 },
  { id: '02121006', name: '过温点', kind: 'number', unit: '℃', min: 30, max: 90, isSafety: true },
  { id: '02121007', name: '灭火器反馈', kind: 'contact' },
  { id: '02121008', name: '仓位在位反馈', kind: 'contact' },
  { id: '02121009', name: '指示灯闪烁时长', kind: 'number', unit: 'ms', min: 100, max: 10_000 },
  { id: '02121010', name: '指示灯颜色编码', kind: 'lamps' },
  { id: '02121011', name: '平台IP和端口', kind: 'address', isSafety: true },
]

const byId = new Map(parameterCatalogue.map((parameter) => [parameter.id, parameter]))

/** A key of a charging station's own configuration, as OCPP has them: it is no id of the catalogue. */
export const isStationKey = (id: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_.-]{1,49}$/.test(id) && !stationSecret.test(id)
/** Its password, which is no parameter. */
const stationSecret = /^authorizationkey$/i
const stationValueLimit = 200

export const parameterOf = (id: string): Parameter | undefined => byId.get(id)

/** The parameter's name; the id itself if it is unknown. */
export const parameterName = (id: string): string => byId.get(id)?.name ?? id

/** Those of these parameters that a second person has to agree to where the installation asks for it. */
export const safetyParametersIn = (ids: readonly string[]): string[] =>
  ids.filter((id) => byId.get(id)?.isSafety === true)

// ── Doors ────────────────────────────────────────────────────────────────────────────────────

/** The rest state of a feedback signal's contact: 0 normally open, 1 normally closed. */
export const contactNames = { 0: '常开', 1: '常闭' } as const

/** The signals of the doors, door 1 first. */
export const doorSignalIds = ['02121001', '02121002', '02121003', '02121004'] as const

/** `常开` or `常闭`; null for any other value. */
export function contactName(value: string | number | boolean): string | null {
  const normal = normalParameterValue(value)
  return normal === '0' || normal === '1' ? contactNames[normal] : null
}

// ── Lamps ────────────────────────────────────────────────────────────────────────────────────

export const lampsParameterId = '02121010'
export const blinkParameterId = '02121009'

/** The seven indicators, in the order of the digits of a lamp code. */
export const indicatorNames = [
  '电源指示灯',
  '网络指示灯',
  '充电指示灯',
  '满电指示灯',
  '换电指示灯',
  '告警指示灯',
  '消防指示灯',
] as const

export const lampColors = ['red', 'green', 'blue', 'yellow'] as const
export type LampColor = (typeof lampColors)[number]

export interface Lamp {
  /** 0 to 8. */
  code: number
  name: string
  /** Null if the lamp is off. */
  color: LampColor | null
  isBlinking: boolean
}

const lamp = (code: number, name: string, color: LampColor | null, isBlinking = false): Lamp => ({
  code,
  name,
  color,
  isBlinking,
})

/** The states of a lamp; the index is the code. */
export const lamps: readonly Lamp[] = [
  lamp(0, '熄灭', null),
  lamp(1, '红灯常亮', 'red'),
  lamp(2, '绿灯常亮', 'green'),
  lamp(3, '蓝灯常亮', 'blue'),
  lamp(4, '黄灯常亮', 'yellow'),
  lamp(5, '红灯闪烁', 'red', true),
  lamp(6, '绿灯闪烁', 'green', true),
  lamp(7, '蓝灯闪烁', 'blue', true),
  lamp(8, '黄灯闪烁', 'yellow', true),
]

/**
 * The state of each indicator, in the order of `indicatorNames`; null if the value is not a lamp code. A device that
 * reports the code as a number has lost its leading zeros, which are restored.
 */
export function lampsOf(value: string | number | boolean): readonly Lamp[] | null {
  const code = String(value).trim().padStart(indicatorNames.length, '0')
  if (!lampCodePattern.test(code)) return null
  return [...code].map((digit) => lamps[Number(digit)] as Lamp)
}

const lampCodePattern = /^[0-8]{7}$/

// ── Values ───────────────────────────────────────────────────────────────────────────────────

/**
 * The normal form in which values are compared. A device may report 85, '85' or '85.0', true for 1, and a lamp code
 * as a number; the server's SQL has the same rule (`normalForm`).
 */
export function normalParameterValue(value: string | number | boolean): string {
  const text = String(value).trim().toLowerCase()
  if (text === 'true') return '1'
  if (text === 'false') return '0'
  const parts = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text)
  if (!parts) return text
  const [, sign = '', before = '', after = ''] = parts
  const whole = before.replace(/^0+(?=\d)/, '')
  const fraction = after.replace(/(?<!0)0+$/, '')
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return digits === '0' ? '0' : sign + digits
}

/** Whether the two values are equal for a device. */
export const isSameParameterValue = (a: string | number | boolean, b: string | number | boolean): boolean =>
  normalParameterValue(a) === normalParameterValue(b)

/** The value in words: `常闭`, `85%`, `60℃`; for lamps the state of each indicator. Unchanged if it has no meaning. */
export function describeParameterValue(id: string, value: string | number | boolean): string {
  const parameter = byId.get(id)
  const text = String(value)
  switch (parameter?.kind) {
    case 'contact':
      return contactName(value) ?? text
    case 'number':
      return text + parameter.unit
    case 'lamps':
      return (
        lampsOf(value)
          ?.map(({ name }, index) => `${indicatorNames[index]}${name}`)
          .join('、') ?? text
      )
    case 'address':
    case undefined:
      return text
  }
}

/** The problem of a value for this parameter, in Chinese; null where it is valid. */
export function parameterProblem(id: string, value: string): string | null {
  const parameter = byId.get(id)
  if (!parameter && isStationKey(id))
    return value.length >= 1 && value.length <= stationValueLimit
      ? null
      : `${id} 的值应为 1 到 ${stationValueLimit} 个字符`
  if (!parameter) return '参数编号不存在'
  const { name } = parameter
  switch (parameter.kind) {
    case 'contact':
      return value === '0' || value === '1' ? null : `${name}只能是 0（常开）或 1（常闭）`
    case 'number': {
      const { unit, min, max } = parameter
      const isWithin = /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max
      return isWithin ? null : `${name}应为 ${min} 到 ${max} 的整数${unit && `，单位 ${unit}`}`
    }
    case 'lamps':
      return lampCodePattern.test(value) ? null : `${name}应为 7 位数字，每位 0 到 8`
    case 'address':
      return isAddress(value) ? null : `${name}格式应为 ip:port，端口 1 到 65535`
  }
}

/** `host:port`: an IPv4 address or a host's name, and a port. */
function isAddress(value: string): boolean {
  const [, host = '', port = ''] = /^([^:\s]{1,120}):([1-9]\d{0,4})$/.exec(value) ?? []
  if (port === '' || Number(port) > 65_535) return false
  const labels = host.split('.')
  // A text of only digits and dots must be a valid IPv4 address: no host has such a name.
  if (labels.every((label) => /^\d*$/.test(label)))
    return (
      labels.length === 4 && labels.every((label) => /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255)
    )
  return labels.every((label) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label))
}

/** The value as sent to the device: a number if the parameter is one. */
export function wireParameterValue(id: string, value: string): string | number {
  const kind = byId.get(id)?.kind
  return kind === 'contact' || kind === 'number' ? Number(value) : value
}

/** A parameter with its intended value; the output has the value as text. */
export const ParameterEntry = z
  .object({
    id: z.string({ error: '参数编号不能为空' }),
    value: z.pipe(
      z.transform((value: unknown) =>
        typeof value === 'number' || typeof value === 'boolean' ? normalParameterValue(value) : value,
      ),
      z.string({ error: '参数值不能为空' }).check(z.trim()),
    ),
  })
  .check((checked) => {
    const { id, value } = checked.value
    const message = parameterProblem(id, value)
    if (message === null) return
    const field = byId.has(id) || isStationKey(id) ? 'value' : 'id'
    checked.issues.push({ code: 'custom', message, path: [field], input: checked.value })
  })
export type ParameterEntry = z.output<typeof ParameterEntry>
