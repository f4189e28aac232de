// The English of recover.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { recoverTexts as Chinese } from './recover.texts.ts'

export const recoverTexts: English<typeof Chinese> = {
  action: 'Recover',
  title: 'Recover alarm by hand',
  go: 'Recover alarm',
  notePlaceholder: 'E.g. compartment lock replaced on site',
  ask: (device, alarm) => `“${alarm}” of device ${device} will be marked as recovered by hand.`,
  warn: 'This changes the platform only, not the device; if the device reports it again, a new alarm is raised.',
  done: 'Alarm recovered',
  isOver: (time, how) => `This alarm ended at ${time ?? ''} (${how ?? 'recovered'}); nothing to do.`,
  chosen: (count) => `Recover ${count} selected`,
  all: (count) => `Recover all ${count}`,
  allLimit: (limit) => `At most ${limit} alarms at a time; narrow the filters first`,
  manyTitle: (count) => `Recover ${counted(count, 'alarm')}`,
  goMany: (count) => `Recover ${count}`,
  askMany: (count) => `The ${counted(count, 'selected alarm')} will be marked as recovered by hand.`,
  askAll: (count) =>
    `All ${counted(count, 'alarm')} that match the filters will be marked as recovered by hand.`,
  begun: 'Recovery started',
  progress: (done, total) => `Recovering ${done} / ${total}`,
  finished: (count, passed) =>
    passed === undefined ? `${count} recovered` : `${count} recovered, ${passed} had recovered before`,
}
