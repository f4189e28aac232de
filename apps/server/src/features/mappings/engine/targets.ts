// What a rule may write, field by field: the fields of the device protocol, and of what kind each is.
import type { MappingTarget } from '@voltkeep/contract'
import { Fault } from './fault.ts'
import { numberOf, type Scalar } from './sources.ts'

export type Kind = 'text' | 'number' | 'boolean' | 'scalar' | 'time'

interface Shape {
  /** Undefined: fields of any name, each a scalar. */
  fields?: Readonly<Record<string, Kind>>
  required: readonly string[]
}

const head = { id: 'text', time: 'time' } as const

export const shapes: Readonly<Record<MappingTarget, Shape>> = {
  alarm: { fields: { ...head, code: 'text', value: 'number' }, required: ['code', 'value'] },
  event: { fields: { ...head, code: 'text', value: 'number', isFault: 'boolean' }, required: ['code'] },
  version: {
    fields: {
      ...head,
      partType: 'text',
      addrId: 'text',
      version: 'text',
      hwVersion: 'text',
      pcbCode: 'text',
    },
    required: ['partType', 'version'],
  },
  // The id of a parameter, and so not that of the message.
  parameter: { fields: { time: 'time', id: 'text', value: 'scalar' }, required: ['id', 'value'] },
  reading: { required: [] },
  compartment: {
    fields: {
      ...head,
      no: 'number',
      state: 'text',
      isDoorOpen: 'boolean',
      isLocked: 'boolean',
      batteryCode: 'text',
      soc: 'number',
      soh: 'number',
      voltage: 'number',
      current: 'number',
      temperature: 'number',
    },
    required: ['no'],
  },
  reply: { fields: { ...head, commandId: 'text', outcome: 'text', reason: 'text' }, required: ['outcome'] },
  upgrade: {
    fields: { ...head, targetId: 'text', state: 'text', percent: 'number', reason: 'text' },
    required: ['state'],
  },
  ignore: { fields: {}, required: [] },
}

const dataField = /^data\.[^\p{C}]{1,59}$/u

/** Undefined where the target has no such field. */
export function kindOf(target: MappingTarget, field: string): Kind | undefined {
  if (field === '__proto__') return undefined
  const { fields } = shapes[target]
  if (!fields) return 'scalar'
  if (Object.hasOwn(fields, field)) return fields[field]
  return target === 'event' && dataField.test(field) ? 'scalar' : undefined
}

const booleans: Readonly<Record<string, boolean>> = { '1': true, '0': false, true: true, false: false }

export function asKind(kind: Kind, value: Scalar): Scalar | Fault {
  switch (kind) {
    case 'text':
      return String(value)
    case 'number':
      return numberOf(value)
    case 'boolean': {
      if (typeof value === 'boolean') return value
      const text = String(value)
      return Object.hasOwn(booleans, text)
        ? (booleans[text] as boolean)
        : new Fault(`“${text.slice(0, 40)}”不是真或假`)
    }
    default:
      return value
  }
}
