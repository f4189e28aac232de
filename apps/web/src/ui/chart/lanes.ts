// Marks of a chart: offline times behind the curves, the others in lanes above them, each with a shape of its own.
import type uPlot from 'uplot'
import { type ChartMark, type MarkType, markTypes } from './chart.data.ts'
import type { Colours } from './curves.ts'

const lanePx = 12
const signPx = 4
/** With more marks their lines would hide the curves. */
const mostLines = 12

/** Offline times lie behind the curves; each of the others that there are has a lane. */
const lanesOf = (marks: readonly ChartMark[]): MarkType[] =>
  markTypes.filter((type) => type !== 'offline' && marks.some((mark) => mark.type === type))

export const lanesHeight = (marks: readonly ChartMark[]): number => lanesOf(marks).length * lanePx + 10

/** Left and right on the canvas, within what is drawn; undefined outside of it. */
function spanOf(drawn: uPlot, { start, end }: ChartMark): [number, number] | undefined {
  const { left, width } = drawn.bbox
  const from = drawn.valToPos(start, 'x', true)
  const to = end === null ? left + width : drawn.valToPos(end, 'x', true)
  if (to < left || from > left + width) return undefined
  return [Math.max(left, from), Math.min(left + width, to)]
}

export function drawOffline(drawn: uPlot, marks: readonly ChartMark[], { offline }: Colours): void {
  const { ctx, bbox } = drawn
  ctx.save()
  for (const mark of marks) {
    const span = mark.type === 'offline' ? spanOf(drawn, mark) : undefined
    if (!span) continue
    const [from, to] = span
    ctx.globalAlpha = 0.22
    ctx.fillStyle = offline
    ctx.fillRect(from, bbox.top, Math.max(1, to - from), bbox.height)
    // Hatched: a shade alone is missed on a bright screen.
    ctx.globalAlpha = 0.5
    ctx.strokeStyle = offline
    ctx.beginPath()
    ctx.rect(from, bbox.top, Math.max(1, to - from), bbox.height)
    ctx.save()
    ctx.clip()
    ctx.beginPath()
    for (let x = from - bbox.height; x < to; x += 14 * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.stroke()
    ctx.restore()
  }
  ctx.restore()
}

export function drawLanes(drawn: uPlot, marks: readonly ChartMark[], colours: Colours): void {
  const { ctx, bbox } = drawn
  const ratio = devicePixelRatio
  const lanes = lanesOf(marks)
  ctx.save()
  for (const mark of marks) {
    const lane = lanes.indexOf(mark.type)
    const span = lane === -1 ? undefined : spanOf(drawn, mark)
    if (!span || mark.type === 'offline') continue
    const [from, to] = span
    const colour = colours[mark.type]
    const y = bbox.top - (lanes.length - lane) * lanePx * ratio + (lanePx / 2) * ratio - 2 * ratio
    ctx.fillStyle = colour
    ctx.strokeStyle = colour
    ctx.lineWidth = ratio
    if (to - from > 2 * signPx * ratio) ctx.fillRect(from, y - 1.5 * ratio, to - from, 3 * ratio)
    sign(ctx, mark.type, from, y, signPx * ratio)
    if (marks.length > mostLines) continue
    ctx.globalAlpha = 0.35
    ctx.setLineDash([2 * ratio, 3 * ratio])
    ctx.beginPath()
    ctx.moveTo(from, y + signPx * ratio)
    ctx.lineTo(from, bbox.top + bbox.height)
    ctx.stroke()
    ctx.setLineDash([])
    ctx.globalAlpha = 1
  }
  ctx.restore()
}

/** An octagon is an alarm as everywhere, a triangle that points up an upgrade, a square a command, a diamond a stay. */
function sign(ctx: CanvasRenderingContext2D, type: MarkType, x: number, y: number, r: number): void {
  ctx.beginPath()
  if (type === 'alarm') ctx.arc(x, y, r, 0, 2 * Math.PI)
  else if (type === 'upgrade') {
    ctx.moveTo(x, y - r)
    ctx.lineTo(x + r, y + r)
    ctx.lineTo(x - r, y + r)
    ctx.closePath()
  } else if (type === 'stay') {
    ctx.moveTo(x, y - r)
    ctx.lineTo(x + r, y)
    ctx.lineTo(x, y + r)
    ctx.lineTo(x - r, y)
    ctx.closePath()
  } else ctx.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7)
  ctx.fill()
}
