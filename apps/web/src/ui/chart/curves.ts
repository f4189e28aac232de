// The looks of curves and marks. A canvas knows no CSS variables: they are read when it is drawn.
const curves = 6

export interface Colours {
  curves: readonly string[]
  text: string
  line: string
  alarm: string
  upgrade: string
  command: string
  stay: string
  offline: string
  font: string
}

/** `isDark` is what the reading depends on. */
export function coloursNow(_isDark: boolean): Colours {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--vk-${name}`).trim()
  return {
    curves: Array.from({ length: curves }, (_, at) => token(`curve${at + 1}`)),
    text: token('text-muted'),
    line: token('line'),
    alarm: token('level1-fill'),
    upgrade: token('brand-text'),
    command: token('level4'),
    stay: token('text-secondary'),
    offline: token('offline-fill'),
    font: `11px ${token('sans')}`,
  }
}

export const curveColour = ({ curves: all }: Colours, at: number): string => all[at % curves] ?? ''

/** Beyond the colours the curves are dashed: none is told by its colour alone twice. */
export const curveDash = (at: number): number[] | undefined => (at < curves ? undefined : [6, 4])

/** The variable of a curve's colour, for what stands beside the canvas. */
export const curveVariable = (at: number): string => `var(--vk-curve${(at % curves) + 1})`
