// The English of operations.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { operationTexts as Chinese } from './operations.texts.ts'

export const operationTexts: English<typeof Chinese> = {
  title: 'Operation log',
  measure: 'operation',
  fields: {
    time: 'Time',
    user: 'User',
    userHint: 'Name or login name',
    address: 'From address',
    call: 'Operation',
    callHint: 'Operation or path',
    path: 'Path',
    target: 'Subject',
    result: 'Result',
    message: 'Message',
    range: 'Time',
    requestId: 'Request',
  },
  results: { 1: 'Done', 0: 'Refused' },
  refused: (code) => `Refused (${code})`,
  nobody: 'Not signed in',
  goneUser: 'Deleted user',
  empty: 'No operations in the last 30 days',
  emptyFiltered: 'No operations match',
  detail: {
    operation: 'Operation',
    changes: 'Changes',
    field: 'Field',
    before: 'Before',
    after: 'After',
    noChanges: 'No changes were recorded.',
    refusedChanges: 'It was refused; nothing was changed.',
    sameChanges: 'What was saved is the same as before.',
  },
}
