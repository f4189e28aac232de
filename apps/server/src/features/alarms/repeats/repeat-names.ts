// How a notice names an alarm that came again: its device, when it was late, and its code.
import type { RepeatKey } from './repeats.queries.ts'

export const repeatName = ({ deviceId, code, lateMs }: RepeatKey) => `${deviceId} ${lateMs ?? ''} ${code}`

export function repeatKeyOf(name: string): RepeatKey {
  const [deviceId = '', late = '', ...code] = name.split(' ')
  return { deviceId: Number(deviceId), code: code.join(' '), lateMs: late === '' ? null : Number(late) }
}
