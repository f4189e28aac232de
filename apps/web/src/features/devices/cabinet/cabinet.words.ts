// Parameters of a cabinet in words: contacts, lamps, readings.
import {
  blinkParameterId,
  contactName,
  doorSignalIds,
  indicatorNames,
  lamps,
  lampsParameterId,
  normalParameterValue,
  type Parameter,
  parameterCatalogue,
  parameterProblem,
} from '@voltkeep/contract/parameters'
import { texts } from '../../../lib/texts/index.ts'
import { deviceTexts } from '../devices.texts.ts'

const words = deviceTexts.cabinet

/** A parameter as a device reported it. */
export interface Reported {
  id: string
  value: string
  reportTime: string
}

/** One parameter as the panel shows it. `odd`: the parameter does not allow this value, which is shown unchanged. */
export interface Reading {
  parameter: Parameter
  /** As reported; null without a report. */
  value: string | null
  word: string
  isOdd: boolean
  time: string | null
}

/** Every parameter of a cabinet's doors and lamps, in the order of the catalogue. */
export function readingsOf(reported: readonly Reported[]): Reading[] {
  const byId = new Map(reported.map((each) => [each.id, each]))
  return parameterCatalogue.map((parameter) => {
    const found = byId.get(parameter.id)
    if (!found) return { parameter, value: null, word: words.unreported, isOdd: false, time: null }
    const word = wordOf(parameter, found.value)
    return {
      parameter,
      value: found.value,
      word: word ?? words.odd,
      isOdd: word === null,
      time: found.reportTime,
    }
  })
}

/** The word for the value; null where the parameter does not allow it. */
function wordOf(parameter: Parameter, value: string): string | null {
  const normal = normalParameterValue(value)
  switch (parameter.kind) {
    case 'contact':
      return contactName(value)
    case 'number':
      return parameterProblem(parameter.id, normal) === null ? `${normal} ${parameter.unit}`.trim() : null
    case 'lamps':
      return lampCodesOf(value)?.every((code) => /[0-8]/.test(code)) ? lampCodeText(value) : null
    case 'address':
      return parameterProblem(parameter.id, value) === null ? value : null
  }
}

const lampCodeText = (value: string) => (lampCodesOf(value) ?? []).join('')

/**
 * One character per indicator, not necessarily a valid lamp code; null for any other number of indicators. A device
 * that reports the code as a number has lost its leading zeros, which are restored.
 */
export function lampCodesOf(value: string): readonly string[] | null {
  const text = value.trim()
  const codes = [...(/^\d+$/.test(text) ? text.padStart(indicatorNames.length, '0') : text)]
  return codes.length === indicatorNames.length ? codes : null
}

export interface Indicator {
  name: string
  /** A lamp code; NaN or an unknown code where the device reported something else. */
  code: number
  word: string
}

/** The indicators in their order; null without a report, or where the value does not describe seven lamps. */
export function indicatorsOf({ value }: Reading): readonly Indicator[] | null {
  const codes = value === null ? null : lampCodesOf(value)
  if (!codes) return null
  return indicatorNames.map((name, at) => {
    const code = Number(codes[at])
    return { name, code, word: lamps[code]?.name ?? texts.states.lamps.unknown }
  })
}

/** `closed`: the contact is closed in its rest state. */
export type Contact = 'open' | 'closed' | 'odd' | 'unreported'

export function contactOf({ value }: Reading): Contact {
  if (value === null) return 'unreported'
  const normal = normalParameterValue(value)
  return normal === '0' ? 'open' : normal === '1' ? 'closed' : 'odd'
}

const doorIds = new Set<string>(doorSignalIds)

/** The readings, grouped by their place on the cabinet. */
export function placesOf(readings: readonly Reading[]) {
  const of = (test: (parameter: Parameter) => boolean) => readings.filter(({ parameter }) => test(parameter))
  return {
    doors: of(({ id }) => doorIds.has(id)),
    lamps: of(({ id }) => id === lampsParameterId)[0],
    blink: of(({ id }) => id === blinkParameterId)[0],
    contacts: of(({ id, kind }) => kind === 'contact' && !doorIds.has(id)),
    settings: of(({ id, kind }) => (kind === 'number' || kind === 'address') && id !== blinkParameterId),
  }
}
