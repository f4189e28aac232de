import { texts } from '../../lib/texts/index.ts'

const lampColours = ['red', 'green', 'blue', 'yellow'] as const
export type LampColour = (typeof lampColours)[number]

export interface LampLook {
  /** Null where the lamp is off. */
  colour: LampColour | null
  isBlinking: boolean
}

/** What a lamp code stands for: 0 off, 1 to 4 steady, 5 to 8 blinking; undefined for anything else. */
export function lampLookOf(code: string): LampLook | undefined {
  if (!/^[0-8]$/.test(code)) return undefined
  const number = Number(code)
  const colour = lampColours[(number - 1) % lampColours.length] ?? null
  return { colour, isBlinking: number > lampColours.length }
}

export function lampCodeOf({ colour, isBlinking }: LampLook): string {
  if (colour === null) return '0'
  return String(lampColours.indexOf(colour) + 1 + (isBlinking ? lampColours.length : 0))
}

/** `红灯闪烁`; 未知 for a code that nobody knows. */
export function lampWord(code: string): string {
  const look = lampLookOf(code)
  if (!look) return texts.states.lamps.unknown
  if (look.colour === null) return texts.states.lamps.off
  const { colours, steady, blinking } = texts.states.lamps
  return `${colours[look.colour]}灯${look.isBlinking ? blinking : steady}`
}
