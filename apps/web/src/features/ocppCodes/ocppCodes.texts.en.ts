// The English of ocppCodes.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { ocppCodeTexts as Chinese } from './ocppCodes.texts.ts'

export const ocppCodeTexts: English<typeof Chinese> = {
  measure: 'code',
  fields: {
    keyword: 'Keyword',
    keywordHint: 'Vendor, code or note',
    vendor: 'Vendor',
    code: 'Error code',
    semaphoreCode: 'Alarm code',
    semaphore: 'Alarm',
    alarmValue: 'Alarm value',
    note: 'Note',
    updateTime: 'Updated',
  },
  anyVendor: 'Any vendor',
  byConnector: 'By connector',
  vendorHint: 'The vendorId or the vendor’s name as the charge point reports it; empty is any vendor.',
  codeHint: 'The vendorErrorCode, or the errorCode of the standard.',
  semaphoreHint: 'The code of an alarm in the dictionary, e.g. OCPP0003.',
  valueHint: 'Empty gives each connector a bit; bit 0 is the whole charge point.',
  add: 'Add error code',
  edit: 'Edit',
  editTitle: (code) => `Edit error code ${code}`,
  empty: 'No error codes yet',
  emptyHint: 'Codes that are not in the table are alarms all the same; here they get a name and a level.',
  emptyFiltered: 'No error codes match',
  unknown: {
    title: (count) => `${counted(count, 'code')} not in the table`,
    explain: 'Add',
    told: (code, vendor, info) => [[vendor, code].filter(Boolean).join(' '), info].filter(Boolean).join(': '),
    often: (count, last) => `${counted(count, 'time')}, last ${last}`,
  },
  remove: {
    ...en.removal,
    title: 'Delete error code',
    ask: (code) => `Error code ${code} will be deleted from the table.`,
    warn: 'When a charge point reports it again, it is an alarm of an unknown code.',
  },
}
