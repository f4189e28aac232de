// The English of detail.texts.ts.
import type { English } from '../../../lib/texts/english.ts'
import type { decodeTexts as ChinesedecodeTexts, detailTexts as ChinesedetailTexts } from './detail.texts.ts'

export const detailTexts: English<typeof ChinesedetailTexts> = {
  device: 'Device',
  decoded: 'Alarm contents',
  past: 'Same alarm on this device',
  pastAll: 'All records',
  pastNone: 'No other records in the last 30 days.',
  recovery: 'Recovery and handling',
  late: 'Reported late',
  lateHint: 'Earlier data that the device reported afterwards; the present state is unchanged.',
  notFound: 'The alarm does not exist, or lies outside of your data scope',
  timeline: 'Before and after',
  timelineHint: 'Alarms and events of this device within a day before and after',
  timelineNone: 'No other alarms or events within a day before and after.',
  timelineThis: 'This alarm',
  event: 'Event',
}

export const decodeTexts: English<typeof ChinesedecodeTexts> = {
  title: (name) => `Alarm contents: ${name}`,
  columns: {
    code: 'Code',
    equipClassify: 'Device class',
    name: 'Name',
    type: 'Type',
    typeName: 'Type name',
    bitPosition: 'Bit',
    wholeValue: 'Value',
  },
  bit: (position) => `bit ${position}`,
  whole: (value) => `value ${value}`,
  empty: 'The dictionary does not explain this value',
  emptyHint: 'The definition of the signal can be added in the dictionary.',
  ofFirst: 'Decoded from the first value',
}
