// The English of boards.texts.ts.

import { en } from '../../lib/texts/en.ts'
import type { English } from '../../lib/texts/english.ts'
import type { boardTexts as Chinese } from './boards.texts.ts'

export const boardTexts: English<typeof Chinese> = {
  measure: 'board',
  fields: {
    pcbCode: 'Board code',
    pcbName: 'Board name',
    keyword: 'Board',
    keywordHint: 'Code or name',
    applyTo: 'For',
    equipType: 'Device type',
    equipModels: 'Models',
    partType: 'Part',
    createTime: 'Created',
  },
  choose: 'Choose',
  typeFirst: 'Choose a device type first',
  allModels: 'All models',
  codeHint: 'Names of firmware files begin with it, and devices report it.',
  add: 'Add board',
  edit: 'Edit',
  editTitle: 'Edit board',
  empty: 'No boards yet',
  emptyHint: 'Register a board before uploading firmware for it.',
  emptyFiltered: 'No boards match',
  remove: {
    ...en.removal,
    title: 'Delete board',
    ask: (code, name) => `Board ${code} (${name}) will be deleted.`,
    warn: 'Firmware for it can no longer be uploaded.',
  },
}
